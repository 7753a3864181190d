package io.sluice.rules.document;

import io.sluice.rules.cost.CostText;
import io.sluice.rules.cost.Keep;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Lease;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Message;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.UnreadPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes a rule as JSON: defaults are left out, keys have a fixed order, and unordered values are sorted. */
final class RuleWriter {

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
        RuleDescription about = rule.about();
        about.name().ifPresent(name -> out.put("name", name));
        about.tenant().ifPresent(tenant -> out.put("tenant", tenant));
        unless(rule.use() == RuleUse.REQUESTS, "for", rule.use().word());
        unless(rule.enabled(), "enabled", false);
        unless(rule.action() == Action.LIMIT, "action", rule.action().word());
        unless(!about.isProtected(), "protected", true);
        unless(!rule.shadow(), "shadow", true);
        scope();
        rule.protocol().ifPresent(protocol -> out.put(protocol.key(), protocol.content()));
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

    private List<Map<String, Object>> limits(List<RuleLimit> limits) {
        List<Map<String, Object>> written = new ArrayList<>();
        for (RuleLimit limit : limits) {
            Map<String, Object> each = new LinkedHashMap<>();
            LimitName.ownId(rule.id(), limit).ifPresent(id -> each.put("id", id));
            if (!limit.by().isEmpty()) {
                List<Object> by = limit.by().stream().map(RuleWriter::by).toList();
                each.put("by", by.size() == 1 ? by.get(0) : by);
            }
            if (limit.absent() != AbsentPolicy.IP) {
                each.put("absent", limit.absent().word());
            }
            if (limit.unread() != UnreadPolicy.REFUSE) {
                each.put("unread", limit.unread().word());
            }
            if (limit.privacy() != Privacy.PLAIN) {
                each.put("privacy", limit.privacy().word());
            }
            LimitWriter.write(limit.limit(), limit.cost().isPresent(), each);
            limit.cost().ifPresent(cost -> each.put("cost", CostText.fields(cost)));
            if (limit.durable()) {
                each.put("durable", true);
            }
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
        if (!override.onlyKeeps(target)) {
            LimitWriter.writeNumbers(override.numbers(), each);
        }
        override.keep().ifPresent(keep -> each.put("keep", keep(keep)));
        override.until().ifPresent(until -> each.put("until", until.toString()));
        return each;
    }

    private static Object keep(Keep keep) {
        return keep instanceof Keep.Permits number ? number.permits() : keep.toString();
    }

    private void handling() {
        Handling handling = rule.handling();
        unless(
                handling.mode() == Handling.DEFAULT.mode(),
                "mode",
                handling.mode().word());
        unless(handling.lease().equals(Lease.DEFAULT), "lease", lease(handling.lease()));
        unless(
                handling.onFailure() == Handling.DEFAULT.onFailure(),
                "on_failure",
                handling.onFailure().word());
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
