package io.sluice.center.web;

import io.sluice.center.command.RefusedException;
import io.sluice.center.edit.Tally;
import io.sluice.center.edit.TextDifference;
import io.sluice.center.version.Version;
import io.sluice.center.version.Versions;
import io.sluice.center.web.reply.DiffReply;
import io.sluice.center.web.reply.RuleHistoryReply;
import io.sluice.center.web.reply.RuleReply;
import io.sluice.center.web.reply.RulesReply;
import io.sluice.center.web.reply.VersionDocumentReply;
import io.sluice.center.web.reply.VersionReply;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The rules in force and the released versions. */
@RestController
final class RuleRoutes {

    private static final int MOST_IN_LIST = 200;

    /** A history looks at this many versions. */
    private static final int MOST_LOOKED_AT = 50;

    private final CenterParts center;
    private final Versions versions;

    RuleRoutes(CenterParts center) {
        this.center = center;
        this.versions = center.versions();
    }

    @GetMapping("/api/rules")
    RulesReply rules() {
        return RulesReply.of(center.rules());
    }

    @GetMapping("/api/rules/{id}")
    RuleReply rule(@PathVariable("id") String id) {
        RuleSet set = center.rules();
        Rule rule = set.rule(id).orElseThrow(() -> missing("rule", id));
        return new RuleReply(set.version(), set.digest(), RulesReply.json(rule));
    }

    @GetMapping("/api/rules/{id}/history")
    RuleHistoryReply history(@PathVariable("id") String id) {
        return center.database().read(client -> history(client, id));
    }

    @GetMapping("/api/versions")
    List<VersionReply> list(
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit) {
        int most = Math.max(1, Math.min(limit, MOST_IN_LIST));
        return center.database().read(client -> versions.list(client, below, most)).stream()
                .map(VersionReply::of)
                .toList();
    }

    @GetMapping("/api/versions/{number}")
    VersionDocumentReply version(@PathVariable("number") long number) {
        return center.database()
                .read(client -> new VersionDocumentReply(
                        VersionReply.of(versions.find(client, number).orElseThrow(() -> missing("version", number))),
                        RulesReply.of(set(client, number)).rules()));
    }

    @GetMapping("/api/versions/{number}/diff")
    DiffReply diff(@PathVariable("number") long number, @RequestParam(name = "to") long to) {
        return center.database().read(client -> {
            RuleSet from = set(client, number);
            RuleSet after = set(client, to);
            return new DiffReply(
                    number,
                    to,
                    Tally.between(from, after),
                    RuleChange.between(from, after).stream()
                            .map(RuleChange::toString)
                            .toList(),
                    TextDifference.between(from, after));
        });
    }

    private RuleHistoryReply history(JdbcClient client, String id) {
        List<Version> newest = versions.list(client, Long.MAX_VALUE, MOST_LOOKED_AT + 1);
        List<RuleHistoryReply.Step> steps = new ArrayList<>();
        boolean known = false;
        for (int i = 0; i < Math.min(newest.size(), MOST_LOOKED_AT); i++) {
            Version version = newest.get(i);
            Optional<Rule> after = set(client, version.number()).rule(id);
            Optional<Rule> before = i + 1 < newest.size()
                    ? set(client, newest.get(i + 1).number()).rule(id)
                    : Optional.empty();
            known |= after.isPresent() || before.isPresent();
            if (!after.equals(before)) {
                steps.add(new RuleHistoryReply.Step(
                        VersionReply.of(version),
                        RuleChange.between(alone(before), alone(after)).stream()
                                .map(RuleChange::toString)
                                .toList()));
            }
        }
        if (!known) {
            throw missing("rule", id);
        }
        return new RuleHistoryReply(id, steps, newest.size() <= MOST_LOOKED_AT);
    }

    private static RuleSet alone(Optional<Rule> rule) {
        return new RuleSet(1, rule.stream().toList());
    }

    private RuleSet set(JdbcClient client, long number) {
        return versions.rules(client, number).orElseThrow(() -> missing("version", number));
    }

    private static RefusedException missing(String what, Object which) {
        return RefusedException.missing(what + " " + which + ": unknown");
    }
}
