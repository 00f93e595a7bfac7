//! BF.RESERVE and CF.RESERVE, and the filters that they and the adding commands make.

use tepal::file::Format;
use tepal::{
    AnyFilter, BloomFilter, ExpiringFilter, GrowingFilter, Opened, OverCapacity, QuotientFilter, Scheme,
    SecretKey,
};

use super::{check_size, numbers, opened, say};
use crate::reply::{Outcome, Refusal};
use crate::server::{Ctx, Key, Text};
use crate::types::Type;
use crate::value::{About, Held, State, Value};

/// What a new filter is to be.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) rate: f64,
    pub(super) capacity: u64,
    /// `None`: it does not grow.
    pub(super) expansion: Option<u32>,
    pub(super) deletable: bool,
    /// The seconds for which an item stays.
    pub(super) window: Option<u64>,
    /// Drawn if it is not given.
    pub(super) secret: Option<SecretKey>,
    /// `BUCKETSIZE` and `MAXITERATIONS` of CF.RESERVE.
    pub(super) cuckoo: Option<(u32, u32)>,
    /// The seed of a filter of valkey-bloom, as valkey-bloom passes it to its replicas.
    pub(super) valkey_seed: Option<[u8; 32]>,
    /// The empty filter of valkey-bloom, once it is made.
    blob: Option<Vec<u8>>,
}

/// The most items that a filter is made for.
pub(super) const MOST_CAPACITY: i64 = 1 << 30;
pub(super) const MOST_EXPANSION: i64 = 32_768;
/// RedisBloom lowers every higher rate to this one.
const MOST_RATE: f64 = 0.25;
/// The rate of `CF.*`, whose commands name none.
const CUCKOO_RATE: f64 = 0.01;

impl Default for Plan {
    fn default() -> Self {
        Plan {
            rate: 0.01,
            capacity: 100,
            expansion: Some(2),
            deletable: false,
            window: None,
            secret: None,
            cuckoo: None,
            valkey_seed: None,
            blob: None,
        }
    }
}

impl Plan {
    /// What CF.ADD makes.
    pub(super) fn cuckoo(capacity: u64) -> Self {
        Plan {
            rate: CUCKOO_RATE,
            capacity: capacity.next_power_of_two(),
            expansion: Some(1),
            cuckoo: Some((2, 20)),
            ..Plan::default()
        }
    }

    /// Sets the rate; `None` if it is not between 0 and 1.
    pub(super) fn set_rate(&mut self, rate: f64) -> Option<()> {
        self.rate = rate.min(MOST_RATE);
        (rate > 0.0 && rate < 1.0).then_some(())
    }

    /// Builds the empty filter. Its size is checked before.
    fn build(&self, ctx: &Ctx, secret: &SecretKey) -> Result<AnyFilter, Refusal> {
        let (rate, capacity) = (self.rate, self.capacity);
        macro_rules! built {
            ($builder:expr) => {{
                let builder = $builder.false_positive_rate(rate).secret_key(secret.clone());
                check_size(ctx, builder.planned_size_in_bytes()?)?;
                builder.build()?.into()
            }};
        }
        let is_table = self.cuckoo.is_some() || self.deletable && self.expansion.is_none();
        Ok(if let Some(seconds) = self.window {
            let builder = ExpiringFilter::builder().capacity(capacity).window_of_time(seconds);
            built!(builder.over_capacity(OverCapacity::Refuse))
        } else if is_table {
            built!(QuotientFilter::builder().capacity(capacity).over_capacity(OverCapacity::Refuse))
        } else if self.expansion.is_some() {
            built!(GrowingFilter::builder().first(capacity).deletable(self.deletable))
        } else {
            let builder = BloomFilter::builder().capacity(capacity).false_positive_rate(rate);
            let builder = builder.secret_key(secret.clone()).over_capacity(OverCapacity::Refuse);
            check_size(ctx, builder.plan()?.bit_len / 8)?;
            builder.build()?.into()
        })
    }

    /// Builds the empty filter that valkey-bloom would build.
    fn build_valkey(&mut self, ctx: &Ctx, seed: [u8; 32]) -> Result<State, Refusal> {
        let builder = BloomFilter::builder().scheme(Scheme::ValkeyBloom).valkey_seed(seed);
        let builder = builder.capacity(self.capacity).false_positive_rate(self.rate);
        check_size(ctx, builder.plan()?.bit_len / 8)?;
        let builder = match self.expansion {
            Some(times) => builder.expansion(times),
            None => builder,
        };
        let file = Opened::new(builder.build_chain()?, Format::ValkeyBloom)?;
        self.blob = Some(file.to_bytes()?);
        Ok(State::Whole(Held { file, about: About::default() }))
    }

    /// Makes a value, with a secret of its own unless the plan has one, which it has afterwards.
    pub(super) fn make(&mut self, ctx: &Ctx) -> Result<Box<Value>, Refusal> {
        if let Some(seed) = self.valkey_seed {
            return Value::new(|| self.build_valkey(ctx, seed));
        }
        let secret = match &self.secret {
            Some(secret) => secret.clone(),
            None => SecretKey::generate()?,
        };
        self.secret = Some(secret.clone());
        let (bucket_size, max_iterations) = self.cuckoo.unwrap_or_default();
        Value::new(|| {
            let file = Opened::new(self.build(ctx, &secret)?, Format::Tepal)?;
            let expansion = self.expansion;
            let about = About { secret: Some(secret), expansion, bucket_size, max_iterations, deleted: 0 };
            Ok(State::Whole(Held { file, about }))
        })
    }

    /// Passes on the command that makes the same filter elsewhere, with every property and secret.
    pub(super) fn replicate(&self, ctx: &Ctx, name: Text) {
        if let Some(blob) = &self.blob {
            return ctx.replicate("BF.LOAD", name, &[], &[], &[blob]);
        }
        let mut words = Vec::new();
        let mut say = |name: &str, value: String| words.extend([name.to_string(), value]);
        let command = match self.cuckoo {
            Some((bucket_size, max_iterations)) => {
                say("BUCKETSIZE", bucket_size.to_string());
                say("MAXITERATIONS", max_iterations.to_string());
                say("EXPANSION", self.expansion.unwrap_or(0).to_string());
                "CF.RESERVE"
            }
            None => {
                say("EXPANSION", self.expansion.unwrap_or(0).to_string());
                if let Some(seconds) = self.window {
                    say("WINDOW", seconds.to_string());
                }
                "BF.RESERVE"
            }
        };
        if let Some(secret) = &self.secret {
            say("SECRET", numbers::digits(secret));
        }
        if self.deletable {
            words.push("DELETABLE".into());
        }
        words.insert(0, self.capacity.to_string());
        if self.cuckoo.is_none() {
            words.insert(0, self.rate.to_string());
        }
        ctx.replicate(command, name, &words, &[], &[]);
    }

    /// Stores a new filter in an empty key and passes it on.
    pub(super) fn reserve(mut self, ctx: &Ctx, (key, name): (&Key, Text)) -> Outcome {
        let value = self.make(ctx)?;
        key.set(Type::Own, value);
        key.changed();
        self.replicate(ctx, name);
        Ok(())
    }
}

/// The options that BF.RESERVE and BF.INSERT share. `set` is what was given so far.
#[derive(Default)]
pub(super) struct Options {
    pub(super) expansion: Option<u32>,
    pub(super) nonscaling: bool,
}

impl Options {
    /// Reads an option and its value from the front of the arguments; `false` if it is none of
    /// these. `bad_expansion` is the text for an expansion that is no number in range.
    pub(super) fn take(
        &mut self,
        plan: &mut Plan,
        args: &mut &[Text],
        bad_expansion: impl Fn(bool) -> Refusal,
    ) -> Result<bool, Refusal> {
        let Some((first, rest)) = args.split_first() else { return Ok(false) };
        let option = first.bytes().to_ascii_uppercase();
        let value = || rest.first().map(|value| value.bytes()).ok_or(Refusal::Arity);
        let taken = match option.as_slice() {
            b"EXPANSION" => {
                let value = value()?;
                let number = numbers::whole(value).ok_or_else(|| bad_expansion(false))?;
                if !(0..=MOST_EXPANSION).contains(&number) {
                    return Err(bad_expansion(true));
                }
                self.expansion = Some(number as u32);
                2
            }
            b"NONSCALING" => {
                self.nonscaling = true;
                1
            }
            b"DELETABLE" => {
                plan.deletable = true;
                1
            }
            b"WINDOW" => {
                let seconds = numbers::within(value()?, 1..=i64::MAX)
                    .ok_or("ERR the window is no number of seconds, expected 1 or more")?;
                plan.window = Some(seconds as u64);
                2
            }
            b"SECRET" => {
                plan.secret = Some(numbers::secret(value()?)?);
                2
            }
            _ => return Ok(false),
        };
        *args = &args[taken..];
        Ok(true)
    }

    /// Completes the plan.
    pub(super) fn apply(&self, plan: &mut Plan) -> Outcome {
        let grows = self.expansion.is_some_and(|times| times > 0);
        if grows && (self.nonscaling || plan.window.is_some()) {
            return Err("Nonscaling filters cannot expand".into());
        }
        if plan.window.is_some() && plan.deletable {
            return Err("ERR items of a filter with a window expire: leave DELETABLE out".into());
        }
        let stays = self.nonscaling || plan.window.is_some() || self.expansion == Some(0);
        plan.expansion = if stays { None } else { self.expansion.or(plan.expansion) };
        Ok(())
    }
}

/// BF.RESERVE key error capacity [EXPANSION n] [NONSCALING] [DELETABLE] [WINDOW seconds]
/// [SECRET hex]
pub(super) fn bf_reserve(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let [rate, capacity, rest @ ..] = args else { return Err(Refusal::Arity) };
    let mut plan = Plan::default();
    let rate = numbers::double(rate.bytes()).ok_or("ERR bad error rate")?;
    plan.set_rate(rate).ok_or_else(|| {
        say("ERR error rate must be in the range (0.000000, 1.000000)", "ERR (0 < error rate range < 1)")
    })?;
    let capacity = numbers::whole(capacity.bytes()).ok_or("ERR bad capacity")?;
    if !(1..=MOST_CAPACITY).contains(&capacity) {
        let text = "ERR capacity must be in the range [1, 1073741824]";
        return Err(say(text, "ERR (capacity should be larger than 0)"));
    }
    plan.capacity = capacity as u64;
    let (mut options, mut rest) = (Options::default(), rest);
    while !rest.is_empty() {
        let bad_expansion = |is_number: bool| match is_number {
            false => "ERR bad expansion".into(),
            true => say("ERR expansion must be in the range [0, 32768]", "ERR bad expansion"),
        };
        if !options.take(&mut plan, &mut rest, bad_expansion)? {
            return Err(say("Unknown argument received", "ERR unknown argument received"));
        }
    }
    options.apply(&mut plan)?;
    reserve(ctx, name, plan)
}

fn reserve(ctx: &Ctx, name: Text, plan: Plan) -> Outcome {
    let (key, None) = opened(ctx, name)? else { return Err("ERR item exists".into()) };
    plan.reserve(ctx, (&key, name))?;
    ctx.ok();
    Ok(())
}

/// CF.RESERVE key capacity [BUCKETSIZE n] [MAXITERATIONS n] [EXPANSION n] [SECRET hex]
pub(super) fn cf_reserve(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let [capacity, rest @ ..] = args else { return Err(Refusal::Arity) };
    let capacity = numbers::within(capacity.bytes(), 1..=MOST_CAPACITY).ok_or("Bad capacity")?;
    let mut plan = Plan::cuckoo(capacity as u64);
    let (mut bucket_size, mut max_iterations) = plan.cuckoo.unwrap_or_default();
    for pair in rest.chunks(2) {
        let [option, value] = pair else { return Err(Refusal::Arity) };
        let value = value.bytes();
        match option.bytes().to_ascii_uppercase().as_slice() {
            b"BUCKETSIZE" => {
                bucket_size = numbers::within(value, 1..=255).ok_or("Couldn't parse BUCKETSIZE")? as u32;
            }
            b"MAXITERATIONS" => {
                let number = numbers::within(value, 1..=65_535).ok_or("Couldn't parse MAXITERATIONS")?;
                max_iterations = number as u32;
            }
            b"EXPANSION" => {
                let number = numbers::within(value, 0..=MOST_EXPANSION).ok_or("Couldn't parse EXPANSION")?;
                plan.expansion = Some((number as u32).next_power_of_two() * u32::from(number > 0));
            }
            b"SECRET" => {
                plan.secret = Some(numbers::secret(value)?);
            }
            _ => return Err("Unknown argument received".into()),
        }
    }
    plan.cuckoo = Some((bucket_size, max_iterations));
    reserve(ctx, name, plan)
}
