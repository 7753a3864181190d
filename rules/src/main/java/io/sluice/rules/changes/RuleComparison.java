package io.sluice.rules.changes;

import io.sluice.rules.document.Quantities;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Lease;
import io.sluice.rules.model.Message;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.Scope;
import io.sluice.rules.yaml.PrintableText;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Compares two rules with the same id. */
final class RuleComparison {

    private static final String NONE = "none";

    private final Rule before;
    private final Rule after;
    private final List<RuleChange> changes;

    RuleComparison(Rule before, Rule after, List<RuleChange> changes) {
        this.before = before;
        this.after = after;
        this.changes = changes;
    }

    /** Compares everything except the limits, candidates and overrides. */
    void settings() {
        plain("for", before.use().word(), after.use().word());
        flag(before.enabled(), after.enabled(), "now enabled", "now disabled");
        plain("action", before.action().word(), after.action().word());
        flag(
                before.shadow(),
                after.shadow(),
                "now in shadow, refuses no requests",
                "no longer in shadow, refuses requests");
        scope(before.scope(), after.scope());
        plain("envoy", shown(before), shown(after), NONE);
        handling(before.handling(), after.handling());
        about(before.about(), after.about());
    }

    void limits() {
        LimitComparison live = new LimitComparison(before, after, false, changes);
        live.compare();
        new LimitComparison(before, after, true, changes).compare();
        new OverrideComparison(before, after, live.pairs(), changes).compare();
    }

    private void scope(Scope old, Scope now) {
        plain("service", old.service(), now.service(), "any");
        plain("resource", old.resource(), now.resource(), "any");
        if (!old.methods().equals(now.methods())) {
            say("methods " + Phrases.values(new TreeSet<>(old.methods()), new TreeSet<>(now.methods())));
        }
        for (String attribute : both(old.match(), now.match())) {
            Condition was = old.match().get(attribute);
            Condition is = now.match().get(attribute);
            if (!Objects.equals(was, is)) {
                say("match " + PrintableText.text(attribute) + " "
                        + Phrases.values(Phrases.texts(was), Phrases.texts(is)));
            }
        }
    }

    private void handling(Handling old, Handling now) {
        if (old.mode() != now.mode()) {
            boolean moved = old.mode() == Mode.LOCAL || now.mode() == Mode.LOCAL;
            say("mode " + Phrases.fromTo(old.mode().word(), now.mode().word())
                    + (moved ? " (with a shared store, counts start fresh)" : ""));
        }
        lease(old.lease(), now.lease());
        plain("on_failure", old.onFailure().word(), now.onFailure().word());
        plain("local_share", number(old.localShare()), number(now.localShare()), "by nodes");
        plain("deadline", Quantities.text(old.deadline()), Quantities.text(now.deadline()));
        plain("guard", number(old.guard()), number(now.guard()), "off");
    }

    private void lease(Lease old, Lease now) {
        plain("lease size", size(old), size(now));
        plain("lease share", old.share(), now.share());
        plain("lease ttl", Quantities.text(old.ttl()), Quantities.text(now.ttl()));
    }

    private void about(RuleDescription old, RuleDescription now) {
        plain("name", old.name().orElse(null), now.name().orElse(null), NONE);
        plain("tenant", old.tenant().orElse(null), now.tenant().orElse(null), NONE);
        flag(old.isProtected(), now.isProtected(), "now protected", "no longer protected");
        Map<String, String> oldTexts = old.message().map(Message::texts).orElse(Map.of());
        Map<String, String> texts = now.message().map(Message::texts).orElse(Map.of());
        each("message", oldTexts, texts);
        each("label", old.labels(), now.labels());
    }

    private void each(String what, Map<String, String> old, Map<String, String> now) {
        for (String key : both(old, now)) {
            plain((what + " " + PrintableText.text(key)).strip(), old.get(key), now.get(key), NONE);
        }
    }

    private void flag(boolean old, boolean now, String on, String off) {
        if (old != now) {
            say(now ? on : off);
        }
    }

    private void plain(String what, Object old, Object now) {
        plain(what, old, now, "");
    }

    private void plain(String what, @Nullable Object old, @Nullable Object now, String absent) {
        if (!Objects.equals(old, now)) {
            say(what + " " + Phrases.fromTo(old == null ? absent : old, now == null ? absent : now));
        }
    }

    private void say(String what) {
        changes.add(new RuleChange.Altered(after.id(), what));
    }

    private static <T> Set<String> both(Map<String, T> a, Map<String, T> b) {
        Map<String, T> all = new TreeMap<>(a);
        all.putAll(b);
        return all.keySet();
    }

    private static @Nullable String shown(Rule rule) {
        return rule.protocol()
                .map(protocol -> PrintableText.text(protocol.toString()))
                .orElse(null);
    }

    private static String size(Lease lease) {
        return lease.size().isPresent() ? Long.toString(lease.size().getAsLong()) : "auto";
    }

    private static @Nullable Double number(OptionalDouble number) {
        return number.isPresent() ? number.getAsDouble() : null;
    }
}
