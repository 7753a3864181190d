package io.sluice.envoy.decide;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.util.ArrayList;
import java.util.List;

/** Rules, a stopped clock, and a client that sends requests. */
public final class Desk {

    /** In the middle of a minute, so half of its seconds are left. */
    final ManualClock clock = QuietClock.at(1_700_000_010_000_000L);

    final List<Ruling.Settled> told = new ArrayList<>();
    final Evaluator evaluator;
    public final RateLimitDecider decider;
    public volatile RuleSet set;

    private Desk(RuleSet set, CountingMode counting) {
        this.set = set;
        Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
        this.evaluator = new Evaluator(
                () -> this.set, limiter, null, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> told.add(ruling));
        this.decider = new RateLimitDecider(evaluator, counting);
    }

    public static Desk with(String... documents) {
        return new Desk(rules(documents), CountingMode.TOGETHER);
    }

    public static Desk countingLikeTheReference(String... documents) {
        return new Desk(rules(documents), CountingMode.REFERENCE);
    }

    public static RuleSet rules(String... documents) {
        List<RuleDocument.Text> texts = new ArrayList<>();
        for (String document : documents) {
            texts.add(new RuleDocument.Text("file" + texts.size() + ".yaml", document));
        }
        RuleDocument read = RuleDocument.parseAll(texts);
        assertThat(read).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(1, ((RuleDocument.Accepted) read).rules());
    }

    RateLimitResponse ask(RateLimitRequest request) {
        return decider.decide(request).toCompletableFuture().join();
    }

    public RateLimitResponse ask(String domain, RateLimitDescriptor... descriptors) {
        return ask(request(domain, descriptors));
    }

    DescriptorStatus status(String domain, RateLimitDescriptor descriptor) {
        return ask(domain, descriptor).getStatuses(0);
    }

    /** Summarizes a response: for each descriptor {@code OK} or {@code OVER}, the limit, what remains, and until when. */
    public static String shown(RateLimitResponse response) {
        List<String> all = new ArrayList<>();
        for (DescriptorStatus status : response.getStatusesList()) {
            String code = status.getCode() == RateLimitResponse.Code.OK ? "OK" : "OVER";
            String limit = status.hasCurrentLimit()
                    ? " " + Integer.toUnsignedString(status.getCurrentLimit().getRequestsPerUnit()) + "/"
                            + status.getCurrentLimit().getUnit()
                    : "";
            all.add(code + limit + " " + Integer.toUnsignedString(status.getLimitRemaining()));
        }
        return String.join(", ", all);
    }

    public static RateLimitRequest request(String domain, RateLimitDescriptor... descriptors) {
        return RateLimitRequest.newBuilder()
                .setDomain(domain)
                .addAllDescriptors(List.of(descriptors))
                .build();
    }

    /** Makes a descriptor from {@code key=value} texts. */
    public static RateLimitDescriptor d(String... entries) {
        RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
        for (String entry : entries) {
            int at = entry.indexOf('=');
            descriptor.addEntries(RateLimitDescriptor.Entry.newBuilder()
                    .setKey(entry.substring(0, at))
                    .setValue(entry.substring(at + 1)));
        }
        return descriptor.build();
    }

    public static RateLimitDescriptor hits(long addend, RateLimitDescriptor descriptor) {
        return descriptor.toBuilder().setHitsAddend(UInt64Value.of(addend)).build();
    }

    public static RateLimitDescriptor limited(int requests, RateLimitUnit unit, RateLimitDescriptor descriptor) {
        return descriptor.toBuilder()
                .setLimit(RateLimitOverride.newBuilder()
                        .setRequestsPerUnit(requests)
                        .setUnit(unit))
                .build();
    }
}
