import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter;
import org.apache.parquet.io.api.Binary;

/**
 * Guava, Spark and parquet-java for .ci/differential:
 * make PROGRAM DOMAIN N RATE KEYS OUT, answers PROGRAM DOMAIN FILE KEYS OUT.
 */
public final class Interop {
  public static void main(String[] args) throws Exception {
    boolean integers = args[2].equals("int64");
    if (args[0].equals("make")) {
      long n = Long.parseLong(args[3]);
      double rate = Double.parseDouble(args[4]);
      try (OutputStream out = Files.newOutputStream(Path.of(args[6]))) {
        make(args[1], integers, n, rate, Files.readAllLines(Path.of(args[5])), out);
      }
    } else {
      Predicate<String> held = held(args[1], integers, Files.readAllBytes(Path.of(args[3])));
      StringBuilder answers = new StringBuilder();
      for (String key : Files.readAllLines(Path.of(args[4]))) {
        answers.append(held.test(key) ? '1' : '0');
      }
      Files.writeString(Path.of(args[5]), answers.append('\n'));
    }
  }

  static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  @SuppressWarnings("unchecked")
  static <T> BloomFilter<T> guava(String program, Funnel<? super T> funnel, long n, double rate)
      throws Exception {
    if (program.equals("guava64")) {
      return BloomFilter.create(funnel, n, rate);
    }
    // The older strategy has no public constructor any more.
    Class<?> strategies = Class.forName("com.google.common.hash.BloomFilterStrategies");
    Class<?> strategy = Class.forName("com.google.common.hash.BloomFilter$Strategy");
    Method create =
        BloomFilter.class.getDeclaredMethod("create", Funnel.class, long.class, double.class, strategy);
    create.setAccessible(true);
    return (BloomFilter<T>) create.invoke(null, funnel, n, rate, strategies.getEnumConstants()[0]);
  }

  static void make(
      String program, boolean integers, long n, double rate, List<String> keys, OutputStream out)
      throws Exception {
    switch (program) {
      case "guava32", "guava64" -> {
        if (integers) {
          BloomFilter<Long> filter = guava(program, Funnels.longFunnel(), n, rate);
          keys.forEach(key -> filter.put(Long.parseLong(key)));
          filter.writeTo(out);
        } else {
          BloomFilter<byte[]> filter = guava(program, Funnels.byteArrayFunnel(), n, rate);
          keys.forEach(key -> filter.put(bytes(key)));
          filter.writeTo(out);
        }
      }
      case "spark1", "spark2" -> {
        var version = org.apache.spark.util.sketch.BloomFilter.Version.values()[program.charAt(5) - '1'];
        long bits = org.apache.spark.util.sketch.BloomFilter.optimalNumOfBits(n, rate);
        var filter = org.apache.spark.util.sketch.BloomFilter.create(version, n, bits, 0);
        for (String key : keys) {
          if (integers) {
            filter.putLong(Long.parseLong(key));
          } else {
            filter.putBinary(bytes(key));
          }
        }
        filter.writeTo(out);
      }
      case "parquet" -> {
        var filter = new BlockSplitBloomFilter(BlockSplitBloomFilter.optimalNumOfBits(n, rate) / 8);
        for (String key : keys) {
          filter.insertHash(hash(filter, integers, key));
        }
        filter.writeTo(out);
      }
      default -> throw new IllegalArgumentException(program);
    }
  }

  static long hash(BlockSplitBloomFilter filter, boolean integers, String key) {
    return integers
        ? filter.hash(Long.parseLong(key))
        : filter.hash(Binary.fromConstantByteArray(bytes(key)));
  }

  static Predicate<String> held(String program, boolean integers, byte[] file) throws Exception {
    var in = new ByteArrayInputStream(file);
    switch (program) {
      case "guava32", "guava64" -> {
        if (integers) {
          BloomFilter<Long> filter = BloomFilter.readFrom(in, Funnels.longFunnel());
          return key -> filter.mightContain(Long.parseLong(key));
        }
        BloomFilter<byte[]> filter = BloomFilter.readFrom(in, Funnels.byteArrayFunnel());
        return key -> filter.mightContain(bytes(key));
      }
      case "spark1", "spark2" -> {
        var filter = org.apache.spark.util.sketch.BloomFilter.readFrom(in);
        return integers
            ? key -> filter.mightContainLong(Long.parseLong(key))
            : key -> filter.mightContainBinary(bytes(key));
      }
      case "parquet" -> {
        var filter = new BlockSplitBloomFilter(file);
        return key -> filter.findHash(hash(filter, integers, key));
      }
      default -> throw new IllegalArgumentException(program);
    }
  }
}
