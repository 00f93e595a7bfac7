import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.function.LongFunction;

/** Times Guava's Bloom filter: GuavaBench KIND KEYS RATE ROUNDS QUESTIONS. See the script `run`. */
public final class GuavaBench {
  static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Keys from this number on are never inserted. */
  static final long ABSENT = 500_000_000_000L;

  /** As in the Rust program: so many absent keys are asked, and so many at most. */
  static final int FEWEST_MISSES = 1 << 20;
  static final int MOST_ASKED = 1 << 22;

  /** Before anything is timed the compiler sees so many nanoseconds of it. */
  static final long WARM_UP = 3_000_000_000L;

  /** Every timed piece of work lasts so many nanoseconds or more. */
  static final long LEAST_WORK = 20_000_000L;

  static final byte[] FRONT = "https://www.example.org/catalogue/items/detail/n".getBytes();

  public static void main(String[] args) {
    switch (args[0]) {
      case "hashed" -> run(args, Long[]::new, Funnels.longFunnel(), GuavaBench::mixed);
      case "ids" -> run(args, byte[][]::new, Funnels.byteArrayFunnel(), i -> text(i, 12));
      case "urls" -> run(args, byte[][]::new, Funnels.byteArrayFunnel(), i -> text(i, 60));
      default -> throw new IllegalArgumentException("found the kind " + args[0]);
    }
  }

  /** SplitMix64: different numbers give different keys. */
  static Long mixed(long i) {
    long z = (i + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** The same keys as in the Rust program: a front and twelve digits. */
  static byte[] text(long i, int length) {
    long most = 1_000_000_000_000L;
    long factor = 618_033_988_749L;
    // i * factor modulo 10^12, in two halves that fit into 64 bits.
    long rest = (i / 1_000_000 * factor % most * 1_000_000 % most + i % 1_000_000 * factor % most) % most;
    byte[] text = Arrays.copyOf(FRONT, length);
    for (int at = length - 1; at >= length - 12; at--) {
      text[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return text;
  }

  static <T> void run(
      String[] args, java.util.function.IntFunction<T[]> array, Funnel<? super T> funnel, LongFunction<T> key) {
    int count = Integer.parseInt(args[1]);
    double rate = Double.parseDouble(args[2]);
    int rounds = Integer.parseInt(args[3]);
    long questions = Long.parseLong(args[4]);
    T[] present = keys(array, key, 0, count);
    T[] absent = keys(array, key, ABSENT, Math.min(Math.max(count, FEWEST_MISSES), MOST_ASKED));
    T[] hits = count > MOST_ASKED ? Arrays.copyOf(present, MOST_ASKED) : present;

    T[] few = Arrays.copyOf(present, Math.min(count, 200_000));
    long start = System.nanoTime();
    while (System.nanoTime() - start < WARM_UP) {
      BloomFilter<T> filter = BloomFilter.create(funnel, few.length, rate);
      insert(filter, few);
      ask(filter, few);
      ask(filter, absent);
    }

    double[][] times = new double[3][rounds];
    BloomFilter<T> filter = null;
    for (int round = 0; round < rounds; round++) {
      long spent = 0;
      long passes = 0;
      while (spent < LEAST_WORK) {
        // Java zeroes a new array, so that its pages are in memory before the clock starts.
        filter = BloomFilter.create(funnel, count, rate);
        long from = THREADS.getCurrentThreadCpuTime();
        insert(filter, present);
        spent += THREADS.getCurrentThreadCpuTime() - from;
        passes++;
      }
      times[0][round] = (double) spent / passes / count;
      times[1][round] = time(filter, hits, hits.length);
      times[2][round] = time(filter, absent, -1);
    }

    long wrong = 0;
    for (long i = 0; i < questions; i++) {
      wrong += filter.mightContain(key.apply(ABSENT + i)) ? 1 : 0;
    }
    for (double[] each : times) {
      Arrays.sort(each);
    }
    System.out.printf(
        java.util.Locale.ROOT,
        "%.4f %.9f %.3f %.3f %.3f%n",
        8.0 * size(filter) / count,
        (double) wrong / questions,
        times[0][rounds / 2],
        times[1][rounds / 2],
        times[2][rounds / 2]);
  }

  static <T> T[] keys(
      java.util.function.IntFunction<T[]> array, LongFunction<T> key, long first, int count) {
    T[] keys = array.apply(count);
    for (int i = 0; i < count; i++) {
      keys[i] = key.apply(first + i);
    }
    return keys;
  }

  static <T> void insert(BloomFilter<T> filter, T[] keys) {
    for (T key : keys) {
      filter.put(key);
    }
  }

  static <T> int ask(BloomFilter<T> filter, T[] keys) {
    int held = 0;
    for (T key : keys) {
      held += filter.mightContain(key) ? 1 : 0;
    }
    return held;
  }

  /** Nanoseconds a key; `expected` answers must be yes, unless it is negative. */
  static <T> double time(BloomFilter<T> filter, T[] keys, int expected) {
    long spent = 0;
    long passes = 0;
    while (spent < LEAST_WORK) {
      long from = THREADS.getCurrentThreadCpuTime();
      int held = ask(filter, keys);
      spent += THREADS.getCurrentThreadCpuTime() - from;
      passes++;
      if (expected >= 0 && held != expected) {
        throw new IllegalStateException("Guava denies a key it holds");
      }
    }
    return (double) spent / passes / keys.length;
  }

  /** Bytes of the bits, from the serialized form: 6 bytes stand before them. */
  static long size(BloomFilter<?> filter) {
    long[] bytes = {-6};
    try {
      filter.writeTo(
          new OutputStream() {
            @Override
            public void write(int b) {
              bytes[0]++;
            }
          });
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
    return bytes[0];
  }
}
