package io.sluice.examples.llm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A customer of the model.
 *
 * @param key its API key, see {@code keys.yaml}
 * @param prompts the requests that it sends, in this order
 */
record Tenant(String name, String key, List<Prompt> prompts) {

    /** Returns three tenants with different appetites. */
    static List<Tenant> three() {
        return List.of(
                // Short questions. Less is used than reserved.
                of("acme", repeat(12, Prompt.plain(120, 500)), repeat(12, Prompt.streamed(200, 800))),
                // Long reports. The limit of 100,000 tokens a minute refuses some of them.
                of("globex", repeat(14, Prompt.plain(9_000, 12_000)), repeat(2, Prompt.streamed(600, 1_000))),
                // Says no max_tokens, uses more than the default, and leaves streams before they end.
                of("initech", repeat(6, Prompt.unbounded(2_500)), repeat(6, Prompt.abandoned(10_000))));
    }

    @SafeVarargs
    private static Tenant of(String name, List<Prompt>... prompts) {
        List<Prompt> all = new ArrayList<>();
        for (List<Prompt> some : prompts) {
            all.addAll(some);
        }
        Collections.shuffle(all, new Random(name.hashCode()));
        return new Tenant(name, "key-of-" + name, List.copyOf(all));
    }

    private static List<Prompt> repeat(int times, Prompt prompt) {
        return Collections.nCopies(times, prompt);
    }
}
