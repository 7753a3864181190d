package io.sluice.rules.internal.document;

import io.sluice.rules.About;
import io.sluice.rules.Absent;
import io.sluice.rules.Action;
import io.sluice.rules.By;
import io.sluice.rules.Condition;
import io.sluice.rules.EnvoyDescriptor;
import io.sluice.rules.Handling;
import io.sluice.rules.Lease;
import io.sluice.rules.LimitName;
import io.sluice.rules.LimitOverride;
import io.sluice.rules.Message;
import io.sluice.rules.Privacy;
import io.sluice.rules.Rule;
import io.sluice.rules.RuleLimit;
import io.sluice.rules.internal.JsonLine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes a document of a rule: defaults left out, keys in a fixed order, and what has no order sorted. */
public final class RuleWriter {

    private final Rule rule;
    private final Map<String, Object> out = new LinkedHashMap<>();

    private RuleWriter(Rule rule) {
        this.rule = rule;
    }

    public static String json(Rule rule) {
        return JsonLine.of(new RuleWriter(rule).write());
    }

    private Map<String, Object> write() {
        out.put("id", rule.id());
        About about = rule.about();
        about.name().ifPresent(name -> out.put("name", name));
        about.tenant().ifPresent(tenant -> out.put("tenant", tenant));
        unless(rule.enabled(), "enabled", false);
        unless(rule.action() == Action.LIMIT, "action", rule.action().word());
        unless(!about.isProtected(), "protected", true);
        unless(!rule.shadow(), "shadow", true);
        scope();
        rule.envoy().ifPresent(envoy -> out.put("envoy", envoy(envoy)));
        unless(rule.limits().isEmpty(), "limits", limits(rule.limits()));
        unless(rule.candidate().isEmpty(), "candidate", limits(rule.candidate()));
        unless(
                rule.overrides().isEmpty(),
                "overrides",
                rule.overrides().stream().map(this::override).toList());
        handling();
        about.message().ifPresent(message -> out.put("message", message(message)));
        unless(about.labels().isEmpty(), "labels", new TreeMap<>(about.labels()));
        return out;
    }

    private void unless(boolean isDefault, String key, Object value) {
        if (!isDefault) {
            out.put(key, value);
        }
    }

    private void scope() {
        String service = rule.scope().service();
        if (service != null) {
            out.put("service", service);
        }
        if (rule.scope().resource() != null) {
            out.put("resource", rule.scope().resource().toString());
        }
        unless(
                rule.scope().methods().isEmpty(),
                "methods",
                rule.scope().methods().stream().sorted().toList());
        unless(rule.scope().match().isEmpty(), "match", conditions(rule.scope().match()));
    }

    private static Map<String, Object> conditions(Map<String, Condition> conditions) {
        Map<String, Object> written = new TreeMap<>();
        conditions.forEach((attribute, condition) -> {
            List<String> texts = condition.texts().stream().sorted().toList();
            written.put(attribute, texts.size() == 1 ? texts.get(0) : texts);
        });
        return written;
    }

    private static Map<String, Object> envoy(EnvoyDescriptor envoy) {
        Map<String, Object> written = new LinkedHashMap<>();
        written.put("domain", envoy.domain());
        written.put("path", envoy.path().stream().map(RuleWriter::entry).toList());
        flag(written, "unlimited", envoy.unlimited());
        envoy.name().ifPresent(name -> written.put("name", name));
        if (!envoy.replaces().isEmpty()) {
            written.put("replaces", envoy.replaces());
        }
        flag(written, "quota", envoy.quota());
        flag(written, "detailed_metric", envoy.detailedMetric());
        return written;
    }

    private static Map<String, Object> entry(EnvoyDescriptor.Entry entry) {
        Map<String, Object> written = new LinkedHashMap<>();
        written.put("key", entry.key());
        entry.value().ifPresent(value -> written.put("value", value));
        flag(written, "share_threshold", entry.shareThreshold());
        return written;
    }

    private static void flag(Map<String, Object> written, String key, boolean value) {
        if (value) {
            written.put(key, true);
        }
    }

    private List<Map<String, Object>> limits(List<RuleLimit> limits) {
        List<Map<String, Object>> written = new ArrayList<>();
        for (RuleLimit limit : limits) {
            Map<String, Object> each = new LinkedHashMap<>();
            LimitName.ownId(rule.id(), limit).ifPresent(id -> each.put("id", id));
            if (!limit.by().isEmpty()) {
                List<Object> by = limit.by().stream().map(RuleWriter::by).toList();
                each.put("by", by.size() == 1 ? by.get(0) : by);
            }
            if (limit.absent() != Absent.IP) {
                each.put("absent", limit.absent().word());
            }
            if (limit.privacy() != Privacy.PLAIN) {
                each.put("privacy", limit.privacy().word());
            }
            LimitWriter.write(limit.limit(), each);
            written.add(each);
        }
        return written;
    }

    private static Object by(By by) {
        Map<String, Object> both = new LinkedHashMap<>();
        both.put("attribute", by.attribute());
        by.otherwise().ifPresent(other -> both.put("otherwise", other));
        return both.size() == 1 ? by.attribute() : both;
    }

    private Map<String, Object> override(LimitOverride override) {
        Map<String, Object> each = new LinkedHashMap<>();
        each.put("when", conditions(override.when()));
        RuleLimit target = rule.limits().get(override.limit());
        if (rule.limits().size() > 1) {
            each.put(
                    "of",
                    LimitName.ownId(rule.id(), target).<Object>map(id -> id).orElse(override.limit()));
        }
        LimitWriter.writeNumbers(override.numbers(), each);
        override.until().ifPresent(until -> each.put("until", until.toString()));
        return each;
    }

    private void handling() {
        Handling handling = rule.handling();
        unless(
                handling.mode() == Handling.DEFAULT.mode(),
                "mode",
                handling.mode().word());
        unless(handling.lease().equals(Lease.DEFAULT), "lease", lease(handling.lease()));
        unless(handling.onFailure() == Handling.DEFAULT.onFailure(), "on_failure", Words.small(handling.onFailure()));
        handling.localShare().ifPresent(share -> out.put("local_share", share));
        unless(
                handling.deadline().equals(Handling.DEFAULT.deadline()),
                "deadline",
                Quantities.text(handling.deadline()));
        handling.guard().ifPresent(guard -> out.put("guard", guard));
    }

    private static Map<String, Object> lease(Lease lease) {
        Map<String, Object> written = new LinkedHashMap<>();
        lease.size().ifPresent(size -> written.put("size", size));
        if (lease.share() != Lease.DEFAULT.share()) {
            written.put("share", lease.share());
        }
        if (!lease.ttl().equals(Lease.DEFAULT.ttl())) {
            written.put("ttl", Quantities.text(lease.ttl()));
        }
        return written;
    }

    private static Object message(Message message) {
        String forAll = message.texts().get(Message.ANY);
        return forAll != null ? forAll : new TreeMap<>(message.texts());
    }
}
