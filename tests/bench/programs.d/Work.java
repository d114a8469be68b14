// SPDX-License-Identifier: GPL-2.0-or-later
// Fixed work: interfaces, lambdas, sorting, maps, recursion. usage: java Work ROUNDS
import java.util.Arrays;
import java.util.TreeMap;
import java.util.function.LongSupplier;

public class Work {
	static long nested(int depth, LongSupplier call) {
		return depth == 0 ? call.getAsLong() : nested(depth - 1, call) + 1;
	}

	static long sorted(long seed) {
		Long[] values = new Long[200];
		for (int i = 0; i < values.length; i++)
			values[i] = seed = seed * 6364136223846793005L + 1442695040888963407L;
		Arrays.sort(values, (a, b) -> Long.compare(a % 1009, b % 1009));
		return values[100];
	}

	static long mapped(long seed) {
		TreeMap<String, Long> words = new TreeMap<>();
		for (int i = 0; i < 40; i++)
			words.merge("word number " + (seed % 97 + i), seed, Long::sum);
		return words.size();
	}

	public static void main(String[] args) {
		long sum = 0;
		for (int i = args.length > 0 ? Integer.parseInt(args[0]) : 1000; i > 0; i--) {
			final long seed = sum;
			sum += nested(12, () -> sorted(seed)) + mapped(sum);
		}
		System.exit(sum == 42 ? 1 : 0);
	}
}
