#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tepal_fuzz::operations(data));
