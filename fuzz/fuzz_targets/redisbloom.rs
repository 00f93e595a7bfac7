#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tepal_fuzz::foreign(tepal::file::Format::RedisBloom, data));
