package io.sluice.cli.apply;

import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

@Command(
        name = "apply",
        description = {
            "Replaces the rules of a center with those of a document, and waits until every node applied them.",
            "Exit 0 if every node applied them or nothing had to change, 1 if the document has errors, the center refused"
                    + " it or a node did not apply it, 2 on bad usage, 4 if the change waits for the approval of a second"
                    + " person; the same command releases it afterwards."
        },
        mixinStandardHelpOptions = true)
public final class ApplyCommand implements Callable<Integer> {

    private static final String DIGEST = "[0-9a-f]{64}";

    /** The exit code for a change that waits for the approval of a second person. */
    private static final int WAITS = 4;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final CenterOption center = new CenterOption();

    @Option(
            names = "--base",
            paramLabel = "VERSION",
            description = "apply only if this version is in force; 0 if none is (printed by diff)")
    private @Nullable Long base;

    @Option(
            names = "--digest",
            paramLabel = "DIGEST",
            description = "apply only if the result has this digest (printed by diff)")
    private @Nullable String digest;

    @Option(names = "--title", paramLabel = "TEXT", description = "title of the change (default: apply FILE)")
    private @Nullable String title;

    @Option(names = "--reason", paramLabel = "TEXT", description = "reason of the change (default: apply FILE)")
    private @Nullable String reason;

    @Option(
            names = "--to",
            paramLabel = "WHO",
            converter = ReleaseTarget.Converter.class,
            description =
                    "who tries it first: nodes=10%%, callers=5%%, tenants=acme,globex or candidate (default: all)")
    private ReleaseTarget to = ReleaseTarget.ALL;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "how long to wait for the nodes (default: 60; 0: do not wait)")
    private int timeoutSeconds = 60;

    @Override
    public Integer call() {
        if (digest != null && !digest.matches(DIGEST)) {
            throw new ParameterException(
                    spec.commandLine(), "--digest: " + digest + " (expected: the 64 digits that ./sluice diff prints)");
        }
        if (timeoutSeconds < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--timeout: " + timeoutSeconds + " (expected: 0 or more seconds)");
        }
        CenterClient client = center.client();
        Optional<List<Rule>> rules = center.rules();
        if (rules.isEmpty()) {
            return ExitCode.SOFTWARE;
        }
        PrintWriter out = spec.commandLine().getOut();
        try {
            return apply(client, rules.get(), out);
        } catch (CenterCallException e) {
            return Failure.print(spec, e);
        } finally {
            out.flush();
        }
    }

    private int apply(CenterClient client, List<Rule> rules, PrintWriter out) throws CenterCallException {
        Plan plan = Plan.of(client, rules);
        requirePlanned(plan);
        if (plan.isEmpty()) {
            out.println("no change: version " + plan.base() + " has the rules of " + center.file());
            return ExitCode.OK;
        }
        requireBase(plan);
        plan.print(out);
        out.flush();
        Optional<JsonNode> released = release(client, plan, out);
        if (released.isEmpty()) {
            return WAITS;
        }
        JsonNode rollout = released.get();
        out.println((to.isTrial() ? "on trial: version " : "released version ")
                + rollout.path("version").asLong() + ": " + plan.counts());
        out.flush();
        if (timeoutSeconds == 0) {
            return ExitCode.OK;
        }
        return new RolloutWatch(client, out).await(rollout, Duration.ofSeconds(timeoutSeconds));
    }

    /** Returns the rollout; empty if the change waits for approval. */
    private Optional<JsonNode> release(CenterClient client, Plan plan, PrintWriter out) throws CenterCallException {
        for (JsonNode waiting : client.get("/api/changes/own?digest=" + plan.digest())) {
            String path = path(waiting);
            try {
                return release(client, plan, path, out);
            } catch (CenterCallException e) {
                if (!e.isConflict() || e.isOutcomeUnknown()) {
                    throw e;
                }
                withdraw(client, path);
            }
        }
        JsonNode change = open(client, plan);
        String path = path(change);
        try {
            String reviewed = change.path("digest").asString("");
            if (!reviewed.equals(plan.digest())) {
                throw new CenterCallException(
                        "digest: the center would release " + reviewed + " (expected: " + plan.digest()
                                + "); something else was released in the meantime, look at ./sluice diff again",
                        0,
                        List.of());
            }
            return release(client, plan, path, out);
        } catch (CenterCallException e) {
            if (e.isOutcomeUnknown()) {
                throw new CenterCallException(
                        "it is not known whether change " + path.substring(path.lastIndexOf('/') + 1)
                                + " was released (run the same command again: it releases the change if it is not); "
                                + e.getMessage(),
                        0,
                        List.of());
            }
            withdraw(client, path);
            throw e;
        }
    }

    /** Releases a change. If it waits for approval, it stays open, so that the same command releases it afterwards. */
    private Optional<JsonNode> release(CenterClient client, Plan plan, String path, PrintWriter out)
            throws CenterCallException {
        try {
            return Optional.of(client.post(
                    path + "/release", Map.of("digest", plan.digest(), "base", plan.base(), "to", to.value())));
        } catch (CenterCallException e) {
            if (!e.needsApproval()) {
                throw e;
            }
            out.println("change " + path.substring(path.lastIndexOf('/') + 1)
                    + " waits for the approval of a second person: " + client + path
                    + " (run the same command again afterwards)");
            return Optional.empty();
        }
    }

    private static String path(JsonNode change) {
        return "/api/changes/" + change.path("id").asLong();
    }

    private JsonNode open(CenterClient client, Plan plan) throws CenterCallException {
        return client.post(
                "/api/changes",
                Map.of(
                        "title",
                        words(title),
                        "reason",
                        words(reason),
                        "base",
                        plan.base(),
                        "document",
                        RuleJson.document(plan.after().rules())));
    }

    /** Withdraws a change that was not released, because the purpose of a change that stays open would be unclear. */
    private static void withdraw(CenterClient client, String path) {
        try {
            JsonNode unused = client.post(path + "/withdraw", Map.of("reason", "apply failed"));
        } catch (CenterCallException e) {
            // The caller reports the first failure.
        }
    }

    private void requirePlanned(Plan plan) throws CenterCallException {
        if (digest != null && !digest.equals(plan.digest())) {
            throw new CenterCallException(
                    "digest: " + center.file() + " has " + plan.digest() + " (expected: " + digest
                            + "); the document is not the one that was planned, look at ./sluice diff again",
                    0,
                    List.of());
        }
    }

    private void requireBase(Plan plan) throws CenterCallException {
        if (base != null && base != plan.base()) {
            throw new CenterCallException(
                    "base: version " + plan.base() + " is in force (expected: " + base
                            + "); something else was released in the meantime, look at ./sluice diff again",
                    0,
                    List.of());
        }
    }

    private String words(@Nullable String given) {
        return given == null || given.isBlank() ? "apply " + center.file().getFileName() : given;
    }
}
