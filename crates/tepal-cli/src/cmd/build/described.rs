//! What the flags of `tepal build` say of a filter of whatever kind: its keys, its hash, its rate
//! and the texts about it.

/// Tells it to a builder. Each kind has a builder of its own, and all of them have these calls.
macro_rules! described {
    ($builder:expr, $args:expr, $rows:expr, $secrets:expr) => {{
        let (args, secrets): (&$crate::args::BuildArgs, &$crate::secrets::Secrets) = ($args, $secrets);
        let mut builder = $builder
            .key_domain($crate::cmd::build::key_domain(args))
            .recipe(args.recipe.recipe())
            .labels($crate::cmd::build::labels(args, $rows));
        if let Some(rate) = args.shape.fpr {
            builder = builder.false_positive_rate(rate);
        }
        if let Some(scheme) = args.scheme.scheme {
            builder = builder.scheme(scheme);
        }
        if let Some(seed) = args.seed {
            builder = builder.seed(seed);
        }
        if let Some(purpose) = &args.seed_for {
            builder = builder.seed_for(purpose);
        }
        if let Some(key) = &secrets.secret {
            builder = builder.secret_key(key.clone());
        }
        builder
    }};
}

pub(super) use described;
