package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One limit of a rule that is being written. Keys keep the order in which they were set. Not thread-safe. */
public final class LimitDraft {

    private static final List<String> ADDRESS = List.of("ip");

    private final Map<String, YamlValue> fields = new LinkedHashMap<>();
    private final List<String> by;

    private LimitDraft(List<String> by) {
        this.by = List.copyOf(by);
    }

    /** Starts a limit that counts by these attributes. Without attributes, it has one count for all requests. */
    public static LimitDraft by(List<String> attributes) {
        LimitDraft limit = new LimitDraft(attributes);
        if (attributes.size() == 1) {
            limit.fields.put("by", YamlText.text(attributes.get(0)));
        } else if (!attributes.isEmpty()) {
            limit.fields.put("by", YamlText.list(attributes));
        }
        return limit;
    }

    /** Sets the policy for requests that lack the attribute. Does nothing for the address, which every request has. */
    public LimitDraft absent(String policy) {
        if (!by.isEmpty() && !by.equals(ADDRESS)) {
            fields.put("absent", YamlText.text(policy));
        }
        return this;
    }

    public LimitDraft id(String id) {
        fields.put("id", YamlText.text(id));
        return this;
    }

    public LimitDraft tokenBucket(String rate, long burst) {
        fields.put("rate", YamlText.text(rate));
        fields.put("burst", YamlText.bare(burst));
        return this;
    }

    /** Sets the time that requests of a token bucket may wait for their permits. */
    public LimitDraft maxWait(Duration wait) {
        if (!wait.isZero()) {
            fields.put("max_wait", YamlText.text(Amounts.span(wait)));
        }
        return this;
    }

    public LimitDraft fixedWindow(long limit, Duration window) {
        fields.put("algorithm", YamlText.text("fixed_window"));
        fields.put("limit", YamlText.bare(limit));
        fields.put("window", YamlText.text(Amounts.span(window)));
        return this;
    }

    /** Sets a window of days, weeks, months or years of UTC. */
    public LimitDraft calendarWindow(long limit, String align) {
        fields.put("algorithm", YamlText.text("fixed_window"));
        fields.put("limit", YamlText.bare(limit));
        fields.put("align", YamlText.text(align));
        return this;
    }

    public LimitDraft slidingWindow(long limit, Duration window, int slices, boolean weighted) {
        fields.put("limit", YamlText.bare(limit));
        fields.put("window", YamlText.text(Amounts.span(window)));
        fields.put("slices", YamlText.bare(slices));
        if (weighted) {
            fields.put("weighted", YamlText.bare(true));
        }
        return this;
    }

    public LimitDraft concurrency(long limit, Duration ttl) {
        fields.put("algorithm", YamlText.text("concurrency"));
        fields.put("limit", YamlText.bare(limit));
        fields.put("ttl", YamlText.text(Amounts.span(ttl)));
        return this;
    }

    YamlValue value() {
        List<Entry> entries = new ArrayList<>();
        fields.forEach((key, value) -> entries.add(new Entry(YamlText.text(key), value)));
        return new YamlMap(Place.START, entries);
    }
}
