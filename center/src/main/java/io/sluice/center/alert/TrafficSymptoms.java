package io.sluice.center.alert;

import io.sluice.center.data.CallersView;
import io.sluice.center.data.RefusedCaller;
import io.sluice.center.data.SeriesView;
import io.sluice.center.data.TopQuery;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.yaml.Spans;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.RefusedMinute;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Problems with the traffic. Callers and tenants are masked. */
final class TrafficSymptoms implements Symptoms {

    /** The maximum number of symptoms of one rule. */
    private static final int MOST = 100;

    private static final long MINUTE_MILLIS = 60_000;
    private static final long SECOND_MILLIS = 1_000;
    private static final int HOUR_MINUTES = 60;
    private static final double PERCENT = 100;
    private static final double DECIMALS = 10;

    private final Supplier<Optional<SeriesView>> series;
    private final Supplier<Optional<CallersView>> callers;

    TrafficSymptoms(Supplier<Optional<SeriesView>> series, Supplier<Optional<CallersView>> callers) {
        this.series = series;
        this.callers = callers;
    }

    @Override
    public Optional<List<Symptom>> of(AlertRule rule, long nowMillis) {
        return switch (rule.kind()) {
            case CALLER_REFUSED -> callers.get().map(view -> callers(view, rule.thresholds(), nowMillis));
            case TENANT_SHARE -> callers.get().map(view -> tenants(view, rule.thresholds(), nowMillis));
            case REFUSAL_SHARE -> series.get().map(view -> shares(view, rule.thresholds(), nowMillis));
            default -> Optional.empty();
        };
    }

    private static List<Symptom> callers(CallersView view, Thresholds wanted, long now) {
        long until = now / MINUTE_MILLIS + 1;
        long from = until - wanted.within().toMinutes();
        Optional<String> rule = Optional.of(wanted.rule()).filter(each -> !each.isEmpty() && !each.equals("*"));
        List<RefusedCaller> top = view.top(new TopQuery(rule, Optional.empty(), from, until, MOST, each -> true));
        Map<String, Symptom> found = new LinkedHashMap<>();
        for (RefusedCaller each : top) {
            // The number may be too high by the error. An alert needs the part that is certain.
            long refused = each.refused() - each.error();
            if (refused < wanted.refused()) {
                continue;
            }
            String key = "caller:" + each.attributes() + ":" + each.caller().hash();
            String name = each.caller().shown();
            String of = each.attributes() + (each.rule().isEmpty() ? "" : ", rule " + each.rule());
            String in = Spans.text(wanted.within());
            Symptom symptom = new Symptom(
                    key,
                    name + " (" + of + ")",
                    "Caller " + name + " (" + of + ") was refused at least " + refused + " times in " + in + ".",
                    "调用方 " + name + "（" + of + "）在 " + in + " 内至少被拒绝 " + refused + " 次。",
                    refused,
                    wanted.refused(),
                    ViewPath.traffic(from * MINUTE_MILLIS, until * MINUTE_MILLIS)
                            .with("rule", each.rule())
                            .with("caller", each.caller().hash())
                            .text());
            // The same caller is counted by each limit and over all rules.
            found.merge(key, symptom, (one, other) -> one.value() >= other.value() ? one : other);
        }
        return List.copyOf(found.values());
    }

    private static List<Symptom> tenants(CallersView view, Thresholds wanted, long now) {
        long until = now / MINUTE_MILLIS + 1;
        long from = until - wanted.within().toMinutes();
        Map<String, CallerMark> marks = new LinkedHashMap<>();
        Map<String, Figures> recent = new HashMap<>();
        for (RefusedMinute.Tenant each : view.tenants(from, until)) {
            marks.put(each.tenant().hash(), each.tenant());
            recent.merge(each.tenant().hash(), each.figures(), Figures::plus);
        }
        Map<String, Figures> before = new HashMap<>();
        for (RefusedMinute.Tenant each : view.tenants(from - HOUR_MINUTES, from)) {
            before.merge(each.tenant().hash(), each.figures(), Figures::plus);
        }
        List<Symptom> found = new ArrayList<>();
        marks.forEach((hash, mark) -> {
            Figures figures = recent.getOrDefault(hash, Figures.NONE);
            double share = share(figures);
            double usual = share(before.getOrDefault(hash, Figures.NONE));
            if (figures.requests() >= wanted.requests()
                    && share >= wanted.share()
                    && share >= usual * wanted.factor()
                    && found.size() < MOST) {
                String name = mark.shown();
                String in = Spans.text(wanted.within());
                found.add(new Symptom(
                        "tenant:" + hash,
                        "tenant " + name,
                        shown(share) + " % of the requests of tenant " + name + " were refused in " + in + ", "
                                + shown(usual) + " % in the hour before.",
                        "租户 " + name + " 的请求在 " + in + " 内有 " + shown(share) + "% 被拒绝，此前一小时为 " + shown(usual) + "%。",
                        share,
                        wanted.share(),
                        ViewPath.traffic(from * MINUTE_MILLIS, until * MINUTE_MILLIS)
                                .with("tenant", hash)
                                .text()));
            }
        });
        return found;
    }

    private static List<Symptom> shares(SeriesView view, Thresholds wanted, long now) {
        // The current second is not complete.
        long until = now / SECOND_MILLIS;
        long from = until - wanted.within().toSeconds();
        List<Symptom> found = new ArrayList<>();
        if (wanted.rule().isEmpty()) {
            add(found, "fleet", "the fleet", "整个集群", "", view.fleet(from, until), wanted, from, until);
            return found;
        }
        view.rules(from, until).forEach((rule, figures) -> {
            boolean isMeant =
                    wanted.rule().equals("*") ? !rule.isEmpty() : wanted.rule().equals(rule);
            if (isMeant && found.size() < MOST) {
                add(found, "rule:" + rule, "rule " + rule, "规则 " + rule, rule, figures, wanted, from, until);
            }
        });
        return found;
    }

    private static void add(
            List<Symptom> found,
            String key,
            String subject,
            String chinese,
            String rule,
            Figures figures,
            Thresholds wanted,
            long from,
            long until) {
        double share = share(figures);
        if (figures.requests() < wanted.requests() || share < wanted.share()) {
            return;
        }
        String in = Spans.text(wanted.within());
        found.add(new Symptom(
                key,
                subject,
                shown(share) + " % of the requests of " + subject + " were refused in " + in + " (" + figures.refused()
                        + " of " + figures.requests() + ").",
                chinese + " 的请求在 " + in + " 内有 " + shown(share) + "% 被拒绝（" + figures.requests() + " 个中的 "
                        + figures.refused() + " 个）。",
                share,
                wanted.share(),
                ViewPath.traffic(from * SECOND_MILLIS, until * SECOND_MILLIS)
                        .with("rule", rule)
                        .text()));
    }

    /** Returns the share of refused requests in percent, with one decimal. */
    private static double share(Figures figures) {
        return figures.requests() == 0
                ? 0
                : Math.round(figures.refused() * PERCENT * DECIMALS / figures.requests()) / DECIMALS;
    }

    private static String shown(double percent) {
        return String.format(Locale.ROOT, "%.1f", percent);
    }
}
