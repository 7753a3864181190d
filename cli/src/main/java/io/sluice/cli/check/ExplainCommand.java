package io.sluice.cli.check;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.envoy.decide.CountingMode;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.envoy.server.EnvoyJson;
import io.sluice.http.answer.AnswerJson;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Explanation;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.FileDocuments;
import io.sluice.rules.yaml.DocumentError;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "explain",
        description = {
            "Shows which rules match a request and what each limit would decide, on unused counts. Consumes nothing.",
            "Exit 0 if the request would pass, 1 if it would be refused or the rules have errors, 2 on bad usage."
        },
        mixinStandardHelpOptions = true)
public final class ExplainCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--rules",
            paramLabel = "FILE-or-DIR",
            required = true,
            description = "a rule document, or a directory of rule documents")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path rules;

    @Option(
            names = "--attr",
            paramLabel = "NAME=VALUE",
            description = "an attribute of the request, such as ip=203.0.113.7; repeat for each attribute")
    private final Map<String, String> attributes = new LinkedHashMap<>();

    @Option(
            names = "--domain",
            paramLabel = "NAME",
            description = "decide like Envoy's rate limit service: the domain of the request; needs --descriptor")
    private @Nullable String domain;

    @Option(
            names = "--descriptor",
            paramLabel = "KEY=VALUE[,KEY=VALUE…]",
            description = "with --domain: a descriptor of the request; repeat for each descriptor")
    private final List<String> descriptors = new ArrayList<>();

    @Option(names = "--permits", paramLabel = "N", description = "how many permits the request asks for (default: 1)")
    private long permits = 1;

    @Option(names = "--json", description = "print the JSON that POST /v1/explain would return")
    private boolean json;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        RuleDocument document = FileDocuments.read(rules);
        if (document instanceof Refused refused) {
            if (DocumentError.areUnreadable(refused.errors())) {
                throw new ParameterException(
                        spec.commandLine(), refused.errors().get(0).toString());
            }
            refused.errors().forEach(spec.commandLine().getErr()::println);
            return CommandLine.ExitCode.SOFTWARE;
        }
        RuleSet set = new RuleSet(1, ((Accepted) document).rules());
        if (domain != null) {
            return descriptors(set, domain, out);
        }
        Explanation explanation = explain(set);
        if (explanation.ruling() instanceof Ruling.Impossible impossible) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--permits: " + impossible.permits() + " (expected: at most " + impossible.capacity()
                            + ", the capacity of limit " + impossible.limit() + ")");
        }
        Ruling.Settled ruling = (Ruling.Settled) explanation.ruling();
        if (json) {
            out.println(AnswerJson.explain(explanation).orElseThrow());
        } else {
            new ExplanationText(out, spec.commandLine().getColorScheme().ansi()).print(ruling, explanation.limits());
        }
        out.flush();
        return ruling.allowed() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private int descriptors(RuleSet set, String name, PrintWriter out) {
        List<Map<String, String>> asked = new ArrayList<>();
        for (String descriptor : descriptors) {
            Map<String, String> entries = new LinkedHashMap<>();
            for (String entry : descriptor.split(",", -1)) {
                String[] both = entry.split("=", 2);
                if (both.length < 2 || entries.put(both[0], both[1]) != null) {
                    throw new ParameterException(
                            spec.commandLine(), "--descriptor: " + entry + " (expected: KEY=VALUE with distinct keys)");
                }
            }
            asked.add(entries);
        }
        EnvoyJson.Answer answer = new EnvoyJson(new RateLimitDecider(evaluator(set), CountingMode.TOGETHER))
                .answer(EnvoyJson.look(name, asked).getBytes(StandardCharsets.UTF_8))
                .toCompletableFuture()
                .join();
        out.println(answer.body());
        out.flush();
        return answer.status() == 200
                ? CommandLine.ExitCode.OK
                : answer.status() == 400 ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.SOFTWARE;
    }

    private static Evaluator evaluator(RuleSet set) {
        Clock clock = Clock.system();
        Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
        return new Evaluator(() -> set, limiter, null, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {});
    }

    private Explanation explain(RuleSet set) {
        try {
            return evaluator(set)
                    .explain(Attributes.of(attributes), permits)
                    .toCompletableFuture()
                    .join();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
