package io.sluice.center.alert;

import io.sluice.center.checkpoint.Checkpoints;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.release.Acknowledgement;
import io.sluice.center.release.PublicationState;
import io.sluice.center.release.Reconciler;
import io.sluice.center.release.Releases;
import io.sluice.center.release.Rollout;
import io.sluice.center.release.RolloutState;
import io.sluice.rules.yaml.Spans;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.witness.WitnessReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Problems with nodes, releases, Redis and the audit log. */
final class FleetSymptoms implements Symptoms {

    /** The number of newest rollouts to look at. Older ones have ended. */
    private static final int NEWEST_ROLLOUTS = 20;

    /** A node is silent if it has not reported for this time. */
    private static final double SILENT_SECONDS = 5;

    private final LiveNodes nodes;
    private final Supplier<List<Rollout>> rollouts;
    private final Supplier<Optional<PublicationState>> publication;
    private final Supplier<Optional<String>> redisProblem;
    private final Checkpoints checkpoints;

    FleetSymptoms(LiveNodes nodes, Releases releases, Reconciler reconciler, Checkpoints checkpoints) {
        this.nodes = nodes;
        this.rollouts = () -> releases.rollouts(Long.MAX_VALUE, NEWEST_ROLLOUTS);
        this.publication = reconciler::publication;
        this.redisProblem = reconciler::redisProblem;
        this.checkpoints = checkpoints;
    }

    @Override
    public Optional<List<Symptom>> of(AlertRule rule, long nowMillis) {
        return switch (rule.kind()) {
            case DEGRADED -> Optional.of(degraded());
            case BREAKER_OPEN -> Optional.of(breakers());
            case NODE_SILENT -> Optional.of(silent(nowMillis));
            case RELEASE_NOT_ACKNOWLEDGED ->
                Optional.of(releases(rule.thresholds().after(), nowMillis));
            case DRIFT -> Optional.of(drift());
            case AUDIT_NOT_WITNESSED -> Optional.of(audit(rule.thresholds().after(), nowMillis));
            default -> Optional.empty();
        };
    }

    private List<Symptom> degraded() {
        return nodes.live().stream()
                .map(NodeState::report)
                .filter(report -> report.health().breaker() != NodeReport.Breaker.NONE
                        && report.health().mode() != NodeReport.Mode.REMOTE)
                .map(report -> {
                    String mode = report.health().mode().word();
                    return node(
                            report,
                            "Node " + report.identity().name() + " decides without its shared store (mode: " + mode
                                    + ").",
                            "节点 " + report.identity().name() + " 在没有共享存储的情况下做出决定（模式：" + mode + "）。",
                            1,
                            1);
                })
                .toList();
    }

    private List<Symptom> breakers() {
        return nodes.live().stream()
                .map(NodeState::report)
                .filter(report -> report.health().breaker() == NodeReport.Breaker.OPEN
                        || report.health().breaker() == NodeReport.Breaker.HALF_OPEN)
                .map(report -> node(
                        report,
                        "The breaker between node " + report.identity().name() + " and its store is open.",
                        "节点 " + report.identity().name() + " 与其存储之间的熔断器已打开。",
                        1,
                        1))
                .toList();
    }

    private List<Symptom> silent(long now) {
        return nodes.all().stream()
                .filter(node -> !node.live())
                .map(node -> {
                    double seconds = Math.max(SILENT_SECONDS, Math.rint((now - node.seenMillis()) / 1000.0));
                    NodeReport report = node.report();
                    return node(
                            report,
                            "Node " + report.identity().name() + " has not reported for " + (long) seconds + " s.",
                            "节点 " + report.identity().name() + " 已有 " + (long) seconds + " 秒没有报告。",
                            seconds,
                            SILENT_SECONDS);
                })
                .toList();
    }

    private static Symptom node(NodeReport report, String summary, String chinese, double value, double threshold) {
        return new Symptom(
                "node:" + report.node(),
                "node " + report.identity().name(),
                summary,
                chinese,
                value,
                threshold,
                ViewPath.node(report.node()).text());
    }

    private List<Symptom> releases(Duration after, long now) {
        List<Symptom> found = new ArrayList<>();
        for (Rollout rollout : rollouts.get()) {
            boolean isReleasing = rollout.state() == RolloutState.RELEASING;
            if (!isReleasing && !rollout.isTrial()) {
                continue;
            }
            List<Acknowledgement> answers = Acknowledgement.of(
                    nodes.followers(), rollout, rollout.order().digest());
            long refused = answers.stream()
                    .filter(each -> each.state() == Acknowledgement.State.REFUSED)
                    .count();
            long waiting = answers.stream()
                    .filter(each -> each.state() == Acknowledgement.State.WAITING)
                    .count();
            long age = Math.max(0, now - rollout.startedAt());
            String subject = "version " + rollout.version();
            String path = "/releases/" + rollout.id();
            if (refused > 0) {
                found.add(new Symptom(
                        "rollout:" + rollout.id(),
                        subject,
                        refused + " of " + answers.size() + " nodes refused version " + rollout.version() + ".",
                        answers.size() + " 个节点中有 " + refused + " 个拒绝了版本 " + rollout.version() + "。",
                        refused,
                        1,
                        path));
            } else if (isReleasing && age >= after.toMillis()) {
                long seconds = age / 1000;
                found.add(new Symptom(
                        "rollout:" + rollout.id(),
                        subject,
                        "Version " + rollout.version() + " was released " + seconds + " s ago, and " + waiting
                                + " nodes have not applied it.",
                        "版本 " + rollout.version() + " 已发布 " + seconds + " 秒，仍有 " + waiting + " 个节点未应用。",
                        seconds,
                        after.toSeconds(),
                        path));
            }
        }
        return found;
    }

    private List<Symptom> drift() {
        List<Symptom> found = new ArrayList<>();
        publication.get().ifPresent(state -> {
            if (!state.drift().isEmpty()) {
                int count = state.drift().size();
                found.add(redis(
                        "redis:mirror",
                        "Something else wrote to " + count + " hashes of the rules in Redis.",
                        "Redis 中的 " + count + " 个规则哈希被其他程序写入。",
                        count));
            }
            state.problem()
                    .ifPresent(why -> found.add(redis(
                            "redis:rules",
                            "Redis does not have the released rules: " + why,
                            "Redis 中没有已发布的规则：" + why,
                            1)));
        });
        redisProblem
                .get()
                .ifPresent(why -> found.add(
                        redis("redis:away", "The center cannot use Redis: " + why, "中心无法使用 Redis：" + why, 1)));
        return found;
    }

    private static Symptom redis(String key, String summary, String chinese, double value) {
        return new Symptom(key, "Redis", summary, chinese, value, 1, "/releases");
    }

    private List<Symptom> audit(Duration after, long now) {
        List<NodeState> live = nodes.live();
        List<Symptom> found = new ArrayList<>();
        long newest = 0;
        for (NodeState node : live) {
            NodeReport report = node.report();
            Optional<WitnessReport> held = report.answers().witness();
            if (held.isEmpty()) {
                continue;
            }
            boolean isOther =
                    checkpoints.agrees(held.get()).filter(same -> !same).isPresent();
            if (isOther || held.get().refused().isPresent()) {
                String why = held.get().refused().orElse("it has witnessed another history");
                found.add(new Symptom(
                        "audit:" + report.node(),
                        "node " + report.identity().name(),
                        "Node " + report.identity().name() + " contradicts the audit log: " + why,
                        "节点 " + report.identity().name() + " 与审计日志不一致：" + why,
                        1,
                        1,
                        "/audit"));
            } else {
                newest = Math.max(newest, held.get().atMillis());
            }
        }
        long age = Math.max(0, now - newest);
        if (!live.isEmpty() && age >= after.toMillis()) {
            String time = Spans.text(after);
            found.add(new Symptom(
                    "audit",
                    "audit log",
                    "No live node holds a checkpoint of the audit log that is younger than " + time + ".",
                    "没有在线节点持有 " + time + " 以内的审计日志检查点。",
                    newest == 0 ? live.size() : age / 1000,
                    newest == 0 ? 1 : after.toSeconds(),
                    "/audit"));
        }
        return found;
    }
}
