//! A Ballista cluster whose programs all have tepal's functions: a scheduler, executors, a client.
//! All listen and speak on this machine alone.

use std::sync::Arc;

use ballista::prelude::SessionContextExt;
use ballista_core::config::{BALLISTA_CLIENT_IO_RETRY_WAIT_TIME_MS, TaskSchedulingPolicy};
use ballista_core::extension::SessionConfigExt;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::Failure;

/// The largest message, in bytes: a filter is one value, and never divided into several messages.
const MOST_MESSAGE: u32 = 1 << 30;

/// The time between two attempts to read from an executor, in milliseconds. The scheduler finds out
/// sooner that an executor was killed. If a reader gave up at the same time, Ballista 55.0 would
/// run some tasks for both reasons, and count their rows twice.
const RETRY_MS: u64 = 15_000;

/// The session of a query, with DataFusion's functions and tepal's.
fn state(config: SessionConfig) -> datafusion::error::Result<SessionState> {
    let mut state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    tepal_datafusion::register_all(&mut state)?;
    Ok(state)
}

/// What all three programs know of a session: the sizes of messages, and that an executor gets
/// other executors' parts over the network, as if they were on another machine. The adaptive
/// planner of Ballista 55.0 loses the tasks of an executor that was killed, and the query waits for
/// ever.
fn config() -> SessionConfig {
    SessionConfig::new_with_ballista()
        .with_ballista_grpc_client_max_message_size(MOST_MESSAGE as usize)
        .with_ballista_shuffle_reader_force_remote_read(true)
        .with_ballista_adaptive_query_planner(false)
        .set_u64(BALLISTA_CLIENT_IO_RETRY_WAIT_TIME_MS, RETRY_MS)
}

/// Runs a scheduler until it is ended.
pub(crate) async fn scheduler(port: u16) -> Result<(), Failure> {
    let config = SchedulerConfig {
        bind_port: port,
        grpc_server_max_decoding_message_size: MOST_MESSAGE,
        grpc_server_max_encoding_message_size: MOST_MESSAGE,
        grpc_client_max_message_size: MOST_MESSAGE,
        // Executors ask for work. If the scheduler hands it out instead, a query whose executor was
        // killed may wait for ever, since nothing makes it hand out the tasks again.
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        // An executor that was killed is found out within seconds, and its work given to another.
        executor_timeout_seconds: 10,
        expire_dead_executor_interval_seconds: 1,
        no_executors_grace_period_seconds: 30,
        override_config_producer: Some(Arc::new(config)),
        override_session_builder: Some(Arc::new(state)),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config).await?;
    start_server(cluster, ([127, 0, 0, 1], port).into(), Arc::new(config)).await?;
    Ok(())
}

/// Runs an executor until it is ended.
pub(crate) async fn executor(scheduler_port: u16, port: u16, folder: &str) -> Result<(), Failure> {
    let state = state(config())?;
    let config = ExecutorProcessConfig {
        external_host: Some("127.0.0.1".into()),
        port,
        grpc_port: port + 1,
        scheduler_host: "127.0.0.1".into(),
        scheduler_port,
        scheduler_connect_timeout_seconds: 30,
        work_dir: Some(folder.into()),
        grpc_max_decoding_message_size: MOST_MESSAGE,
        grpc_max_encoding_message_size: MOST_MESSAGE,
        executor_heartbeat_interval_seconds: 1,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        override_function_registry: Some(Arc::new(BallistaFunctionRegistry::from(&state))),
        override_config_producer: Some(Arc::new(config)),
        ..ExecutorProcessConfig::default()
    };
    start_executor_process(Arc::new(config)).await?;
    Ok(())
}

/// A session whose queries run in the cluster of this scheduler.
pub(crate) async fn client(scheduler: &str, given: SessionConfig) -> Result<SessionContext, Failure> {
    let config = config().with_target_partitions(given.target_partitions());
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let mut context = SessionContext::remote_with_state(&format!("df://{scheduler}"), state).await?;
    // Ballista gives the state its own list of functions.
    tepal_datafusion::register_all(&mut context)?;
    Ok(context.enable_url_table())
}
