package io.sluice.center.adjust;

import io.sluice.center.approval.Approvals;
import io.sluice.center.approval.Emergencies;
import io.sluice.center.approval.Emergency;
import io.sluice.center.approval.Protection;
import io.sluice.center.approval.Raise;
import io.sluice.center.approval.Standing;
import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.version.Versions;
import io.sluice.core.limit.Limit;
import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.AdjustedRules;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.Caller;
import io.sluice.rules.adjust.CallerOverride;
import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Overrides for single callers and switches to shadow. Each has a reason and an end. Nodes receive the active ones as one numbered text.
 * Thread-safe, even with other centers on the same database.
 */
public final class AdjustmentBook {

    /** The maximum time of an override. */
    public static final Duration LONGEST_OVERRIDE = Duration.ofDays(90);

    /** The maximum time of a switch. */
    public static final Duration LONGEST_SWITCH = Duration.ofHours(24);

    private static final Logger LOG = LoggerFactory.getLogger(AdjustmentBook.class);
    private static final String REVISION = "adjustments";
    /** The room that overrides leave for switches, which are for emergencies. */
    private static final int ROOM_FOR_SWITCHES = 50;

    /** The room that switches by people with rights over some rules leave for switches by people with rights over all rules. */
    private static final int ROOM_FOR_ALL = 25;

    /** The maximum numbers of overrides and switches for the rules of one tenant, by people with rights over some rules. */
    private static final int MOST_OVERRIDES = 100;

    private static final int MOST_SWITCHES = 20;
    private static final int LONGEST_REASON = 10_000;
    private static final int LONGEST_VALUE = 1_000;
    private static final int LONGEST_NUMBERS = 1_000;

    private final Database database;
    private final CommandLog log;
    private final Clock clock;
    private final Approvals approvals;
    private final Emergencies emergencies;
    private final AdjustmentTable table = new AdjustmentTable();

    /** Returns the rules in force, followed by the rules on trial. */
    private final Function<JdbcClient, List<RuleSet>> rules;

    /**
     * Creates a book.
     *
     * @param rules returns the rules in force, followed by the rules on trial
     */
    public AdjustmentBook(Database database, CommandLog log, Clock clock, Function<JdbcClient, List<RuleSet>> rules) {
        People people = People.of(database, log, clock);
        this.database = database;
        this.log = log;
        this.clock = clock;
        this.rules = rules;
        this.approvals = new Approvals(people);
        this.emergencies = new Emergencies(people, new Versions(), approvals);
    }

    /**
     * A request for other numbers for one caller.
     *
     * @param limit the limit's name in reports
     * @param numbers a JSON object
     */
    public record Wish(String rule, String limit, Caller caller, String numbers, Instant until, String reason) {}

    /**
     * The bound of an author's rights.
     *
     * @param isEverywhere whether the right covers all rules; otherwise the author shares the room of a tenant
     * @param guard refuses adjustments beyond the rights, given the rules in force and the rules on trial
     */
    public record Bound(boolean isEverywhere, Consumer<List<RuleSet>> guard) {

        static final Bound NONE = new Bound(true, sets -> {});
    }

    /** Gives a caller other numbers for a limited time. */
    public Adjustment override(Actor actor, Wish wish) {
        return override(actor, wish, false, Bound.NONE);
    }

    /**
     * Gives a caller other numbers for a limited time. An override that raises a protected limit beyond the bound of the settings is
     * refused, because overrides cannot be approved.
     *
     * @param emergency whether to set it although it needs approval; it then ends with the time of an emergency
     * @param bound the bound of the actor's rights
     */
    public Adjustment override(Actor actor, Wish wish, boolean emergency, Bound bound) {
        long wanted = until(wish.until(), LONGEST_OVERRIDE);
        String reason = reason(wish.reason());
        boolean byValue = wish.caller() instanceof Caller.ByValue;
        String attribute = wish.caller() instanceof Caller.ByValue by ? by.attribute() : "";
        String caller =
                wish.caller() instanceof Caller.ByValue by ? by.value() : ((Caller.ByHash) wish.caller()).hash();
        requireShort("caller", caller, LONGEST_VALUE);
        requireShort("numbers", wish.numbers(), LONGEST_NUMBERS);
        Done done = database.write(client -> {
            List<RuleSet> sets = rules.apply(client);
            bound.guard().accept(sets);
            requireRoom(client, Adjustment.Kind.OVERRIDE, Adjustment.tenant(wish.rule(), sets), bound);
            CallerOverride override = new CallerOverride(
                    "override", wish.rule(), wish.limit(), wish.caller(), wish.numbers(), wish.until());
            requireFit(sets, override);
            List<Protection.Reason> why = raised(client, sets, override);
            requireFree(
                    why,
                    emergency,
                    "rule: " + wish.rule(),
                    "lower numbers, or a change of the rule, which can be approved; in an emergency the same request"
                            + " with \"emergency\": true");
            long until = why.isEmpty() ? wanted : Math.min(wanted, emergencies.latestEnd(client, why));
            long id = Database.next(client, "adjustment");
            log.add(
                    client,
                    actor,
                    new AdjustmentCommand.OverrideCaller(id, wish.rule(), wish.limit(), wish.numbers(), until, reason),
                    before(client, sets, wish, byValue ? attribute : "", caller));
            Optional<Emergency> begun = begun(client, actor, Emergency.Kind.OVERRIDE, id, sets, why, reason);
            return new Done(
                    begun,
                    added(
                            client,
                            new Adjustment(
                                    id,
                                    Adjustment.Kind.OVERRIDE,
                                    wish.rule(),
                                    wish.limit(),
                                    byValue ? attribute : "",
                                    caller,
                                    wish.numbers(),
                                    until,
                                    reason,
                                    actor.name(),
                                    now(),
                                    Database.next(client, REVISION),
                                    0,
                                    "",
                                    "",
                                    Adjustment.tenant(wish.rule(), sets))));
        });
        done.emergency().ifPresent(Emergencies::tell);
        return done.adjustment();
    }

    /**
     * Makes a rule, or all rules, refuse nothing for a limited time.
     *
     * @param rule the id of a rule, or {@code *} for all
     */
    public Adjustment switchToShadow(Actor actor, String rule, Instant end, String why) {
        return switchToShadow(actor, rule, end, why, false, Bound.NONE);
    }

    /**
     * Makes a rule, or all rules, refuse nothing for a limited time. A switch of a protected rule, or of all rules if some of them are
     * protected, is refused, because switches cannot be approved.
     *
     * @param emergency whether to set it although it needs approval; it then ends with the time of an emergency
     * @param bound the bound of the actor's rights
     */
    public Adjustment switchToShadow(
            Actor actor, String rule, Instant end, String why, boolean emergency, Bound bound) {
        long wanted = until(end, LONGEST_SWITCH);
        String reason = reason(why);
        Done done = database.write(client -> {
            List<RuleSet> sets = rules.apply(client);
            bound.guard().accept(sets);
            requireRoom(client, Adjustment.Kind.SWITCH, Adjustment.tenant(rule, sets), bound);
            if (!rule.equals(Adjustment.ALL_RULES)
                    && sets.stream().noneMatch(set -> set.rule(rule).isPresent())) {
                throw unprocessable("rule: " + rule + " (expected: a rule in force, or * for all)");
            }
            List<Protection.Reason> needs = Protection.ofSwitch(sets, rule, approvals.guarded(client));
            requireFree(
                    needs,
                    emergency,
                    "rule: " + rule,
                    "a rule that is not protected, or a change, which can be approved; in an emergency the same request"
                            + " with \"emergency\": true");
            long until = needs.isEmpty() ? wanted : Math.min(wanted, emergencies.latestEnd(client, needs));
            long id = Database.next(client, "adjustment");
            log.add(client, actor, new AdjustmentCommand.SwitchToShadow(id, rule, until, reason));
            Optional<Emergency> begun = begun(client, actor, Emergency.Kind.SWITCH, id, sets, needs, reason);
            return new Done(
                    begun,
                    added(
                            client,
                            new Adjustment(
                                    id,
                                    Adjustment.Kind.SWITCH,
                                    rule,
                                    "",
                                    "",
                                    "",
                                    "",
                                    until,
                                    reason,
                                    actor.name(),
                                    now(),
                                    Database.next(client, REVISION),
                                    0,
                                    "",
                                    "",
                                    Adjustment.tenant(rule, sets))));
        });
        done.emergency().ifPresent(Emergencies::tell);
        return done.adjustment();
    }

    /** Ends the override or switch of an emergency, if it still applies. */
    public void end(JdbcClient client, Actor actor, Emergency emergency, String reason) {
        Adjustment.Kind kind =
                emergency.kind() == Emergency.Kind.SWITCH ? Adjustment.Kind.SWITCH : Adjustment.Kind.OVERRIDE;
        if (table.find(client, kind, emergency.subject())
                .filter(each -> each.endedAt() == 0)
                .isPresent()) {
            table.end(client, emergency.subject(), now(), actor.name(), reason);
            long unused = Database.next(client, REVISION);
        }
    }

    /** An adjustment, and the emergency that started with it. */
    private record Done(Optional<Emergency> emergency, Adjustment adjustment) {}

    private Optional<Emergency> begun(
            JdbcClient client,
            Actor actor,
            Emergency.Kind kind,
            long id,
            List<RuleSet> sets,
            List<Protection.Reason> why,
            String reason) {
        RuleSet inForce = sets.get(0);
        return why.isEmpty()
                ? Optional.empty()
                : Optional.of(emergencies.begin(
                        client, actor, new Emergencies.Deed(kind, id, inForce, inForce, 0, why, reason)));
    }

    private static void requireFree(List<Protection.Reason> why, boolean emergency, String what, String expected) {
        if (!why.isEmpty() && !emergency) {
            throw Approvals.missing(what, expected, new Standing(1, why, List.of()));
        }
    }

    private List<Protection.Reason> raised(JdbcClient client, List<RuleSet> sets, CallerOverride override) {
        long bound = approvals.settings(client).raisePercent();
        Set<String> guarded = approvals.guarded(client);
        boolean raised = sets.stream()
                .flatMap(set -> set.rule(override.rule()).stream()
                        .filter(rule -> rule.about().isProtected() || guarded.contains(rule.id()))
                        .filter(rule -> isRaised(rule, override, bound)))
                .findFirst()
                .isPresent();
        return raised
                ? List.of(new Protection.Reason(
                        override.rule(),
                        override.rule() + ": one caller may use more than " + bound / 100.0 + " times "
                                + override.limit(),
                        false))
                : List.of();
    }

    private static boolean isRaised(Rule rule, CallerOverride override, long bound) {
        return rule.limits().stream()
                .filter(limit -> limit.id().equals(override.limit()))
                .anyMatch(limit -> Raise.isBeyond(limit.limit(), numbers(rule, limit, override), bound));
    }

    /** Returns the numbers in the form that nodes read. They do not depend on the caller. */
    private static Limit numbers(Rule rule, RuleLimit limit, CallerOverride override) {
        String attribute = limit.by().get(0).attribute();
        CallerOverride anybody = new CallerOverride(
                override.id(),
                override.rule(),
                override.limit(),
                new Caller.ByValue(attribute, attribute.equals("ip") ? "192.0.2.1" : "anybody"),
                override.numbers(),
                override.until());
        return AdjustedRules.of(
                        new RuleSet(1, List.of(rule)), new Adjustments(1, List.of(anybody), List.of()), Instant.EPOCH)
                .rules()
                .rule(rule.id())
                .orElseThrow()
                .overrides()
                .get(0)
                .numbers();
    }

    /** Ends an override or a switch before it expires. */
    public Adjustment end(Actor actor, Adjustment.Kind kind, long id, String why) {
        String reason = reason(why);
        return database.write(client -> {
            Adjustment old = table.find(client, kind, id)
                    .orElseThrow(() -> RefusedException.missing(kind.word() + " " + id + ": unknown"));
            if (old.endedAt() != 0) {
                throw RefusedException.conflict(
                        kind.word() + " " + id + ": ended at " + Instant.ofEpochMilli(old.endedAt())
                                + " (expected: one that applies)",
                        Map.of("ended_at", Instant.ofEpochMilli(old.endedAt()).toString()));
            }
            log.add(client, actor, new AdjustmentCommand.EndAdjustment(id, reason), described(old));
            table.end(client, id, now(), actor.name(), reason);
            long unused = Database.next(client, REVISION);
            return table.find(client, kind, id).orElseThrow();
        });
    }

    /** Returns the numbers and overrides that an override replaces, for the log. The caller is not named. */
    private Map<String, Object> before(
            JdbcClient client, List<RuleSet> sets, Wish wish, String attribute, String caller) {
        Map<String, Object> before = new LinkedHashMap<>();
        sets.stream()
                .flatMap(set -> set.rule(wish.rule()).stream())
                .findFirst()
                .flatMap(rule -> rule.limits().stream()
                        .filter(limit -> limit.id().equals(wish.limit()))
                        .findFirst())
                .ifPresent(limit -> before.put("limit", LimitWords.amount(limit.limit())));
        List<Long> replaced = table.active(client).stream()
                .filter(each -> each.kind() == Adjustment.Kind.OVERRIDE
                        && each.rule().equals(wish.rule())
                        && each.limit().equals(wish.limit())
                        && each.attribute().equals(attribute)
                        && each.caller().equals(caller))
                .map(Adjustment::id)
                .toList();
        if (!replaced.isEmpty()) {
            before.put("overrides", replaced);
        }
        return Map.of("before", before);
    }

    /** Returns a description of an adjustment for the log. The caller is not named. */
    private static Map<String, Object> described(Adjustment adjustment) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", adjustment.kind().word());
        fields.put("rule", adjustment.rule());
        if (adjustment.kind() == Adjustment.Kind.OVERRIDE) {
            fields.put("limit", adjustment.limit());
        }
        fields.put("until", Instant.ofEpochMilli(adjustment.until()).toString());
        return fields;
    }

    /**
     * Ends expired adjustments. Nodes end them by themselves; this method removes them from the text for nodes. It also ends adjustments of
     * a rule that now belongs to another tenant.
     */
    public void expire() {
        long now = now();
        if (database.read(client -> over(client, now)).isEmpty()) {
            return;
        }
        List<Over> ended = database.write(client -> {
            List<Over> over = over(client, now);
            over.forEach(
                    each -> table.end(client, each.adjustment().id(), each.at(), Actor.CENTER.name(), each.reason()));
            if (!over.isEmpty()) {
                over.forEach(each -> log.add(
                        client,
                        Actor.CENTER,
                        new AdjustmentCommand.EndAdjustment(each.adjustment().id(), each.reason()),
                        described(each.adjustment())));
                long unused = Database.next(client, REVISION);
            }
            return over;
        });
        for (Over each : ended) {
            Adjustment adjustment = each.adjustment();
            LOG.info(
                    "{} {} of rule {} ended: {}",
                    adjustment.kind().word(),
                    adjustment.id(),
                    adjustment.rule(),
                    each.reason());
        }
    }

    /** Returns the adjustments of a kind with an id below a number, newest first, including ended ones. */
    public List<Adjustment> list(Adjustment.Kind kind, long below, int most) {
        return database.read(client -> table.list(client, kind, below, most));
    }

    public Optional<Adjustment> find(Adjustment.Kind kind, long id) {
        return database.read(client -> table.find(client, kind, id));
    }

    /** Returns the overrides in force for the caller with a hash. */
    public List<Adjustment> ofHash(String hash) {
        return database.read(table::active).stream()
                .filter(each -> each.isByHash() && each.caller().equals(hash))
                .toList();
    }

    /** Raises the revision above a given one. Returns whether that was necessary. */
    public boolean raise(long revision) {
        return database.write(client -> client.sql("UPDATE counter SET value = ? WHERE name = ? AND value < ?")
                        .params(revision + 1, REVISION, revision)
                        .update()
                == 1);
    }

    /** Returns the adjustments for nodes, or the same object if nothing changed. */
    public Adjustments current(JdbcClient client, Adjustments known) {
        long revision = client.sql("SELECT value FROM counter WHERE name = ?")
                .param(REVISION)
                .query(Long.class)
                .single();
        if (revision == known.revision()) {
            return known;
        }
        List<Adjustment> active = table.active(client);
        return new Adjustments(
                revision,
                active.stream()
                        .filter(each -> each.kind() == Adjustment.Kind.OVERRIDE)
                        .map(Adjustment::override)
                        .toList(),
                active.stream()
                        .filter(each -> each.kind() == Adjustment.Kind.SWITCH)
                        .map(Adjustment::shadowSwitch)
                        .toList());
    }

    /** An adjustment that no longer applies, with the time and the reason of its end. */
    private record Over(Adjustment adjustment, long at, String reason) {}

    private List<Over> over(JdbcClient client, long now) {
        List<Adjustment> active = table.active(client);
        List<RuleSet> sets =
                active.stream().allMatch(each -> each.tenant().isEmpty()) ? List.of() : rules.apply(client);
        List<Over> over = new ArrayList<>();
        for (Adjustment each : active) {
            if (each.until() <= now) {
                over.add(new Over(each, each.until(), "expired"));
            } else if (isOfAnotherTenant(each, sets)) {
                over.add(new Over(each, now, "the rule belongs to another tenant"));
            }
        }
        return over;
    }

    /**
     * Returns whether the rule now belongs to another tenant. A removed rule may return, and a trial may fail, so neither ends an
     * adjustment.
     */
    private static boolean isOfAnotherTenant(Adjustment adjustment, List<RuleSet> sets) {
        return !adjustment.tenant().isEmpty()
                && sets.stream()
                        .flatMap(set -> set.rule(adjustment.rule()).stream())
                        .findFirst()
                        .filter(rule -> !rule.about().tenant().orElse("").equals(adjustment.tenant()))
                        .isPresent();
    }

    private Adjustment added(JdbcClient client, Adjustment adjustment) {
        table.add(client, adjustment);
        return adjustment;
    }

    /**
     * Requires room for an adjustment. A tenant cannot use up the room of other tenants, and overrides cannot use up the room of switches.
     */
    private void requireRoom(JdbcClient client, Adjustment.Kind kind, String tenant, Bound bound) {
        List<Adjustment> active = table.active(client);
        boolean isSwitch = kind == Adjustment.Kind.SWITCH;
        int room = Adjustments.MOST;
        if (!isSwitch) {
            room -= ROOM_FOR_SWITCHES;
        } else if (!bound.isEverywhere()) {
            room -= ROOM_FOR_ALL;
        }
        if (active.size() >= room) {
            throw full("adjustments: " + room + " apply already");
        }
        int most = isSwitch ? MOST_SWITCHES : MOST_OVERRIDES;
        long alike = active.stream()
                .filter(each -> each.kind() == kind && each.tenant().equals(tenant))
                .count();
        if (!bound.isEverywhere() && alike >= most) {
            throw full((isSwitch ? "switches: " : "overrides: ") + most + " of your tenant apply already");
        }
    }

    private static RefusedException full(String what) {
        return RefusedException.conflict(what + " (expected: fewer; end some of them, or change the rules)");
    }

    /** Requires that the override fits its rule in every set that contains the rule. */
    private static void requireFit(List<RuleSet> sets, CallerOverride override) {
        List<RuleSet> with = new ArrayList<>(sets);
        with.removeIf(set -> set.rule(override.rule()).isEmpty());
        for (RuleSet set : with.isEmpty() ? sets.subList(0, 1) : with) {
            AdjustedRules.fault(set, override).ifPresent(fault -> {
                throw unprocessable(set == sets.get(0) ? fault : "version " + set.version() + " on trial: " + fault);
            });
        }
    }

    private long until(Instant until, Duration longest) {
        Instant now = Instant.ofEpochMilli(now());
        if (!until.isAfter(now) || until.isAfter(now.plus(longest))) {
            throw RefusedException.invalid("until: " + until + " (expected: after " + now + " and at most "
                    + (longest.compareTo(LONGEST_SWITCH) > 0
                            ? longest.toDays() + " days"
                            : longest.toHours() + " hours")
                    + " later)");
        }
        return until.toEpochMilli();
    }

    private static String reason(String reason) {
        if (reason.isBlank()) {
            throw RefusedException.invalid("reason: empty (expected: a few words)");
        }
        requireShort("reason", reason, LONGEST_REASON);
        return reason.strip();
    }

    private static void requireShort(String name, String text, int most) {
        if (text.length() > most) {
            throw RefusedException.invalid(
                    name + ": " + text.length() + " characters (expected: at most " + most + ")");
        }
    }

    private static RefusedException unprocessable(String why) {
        return RefusedException.unprocessable(why, List.of(why));
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}
