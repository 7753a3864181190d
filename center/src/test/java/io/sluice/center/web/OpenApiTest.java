package io.sluice.center.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.sluice.center.auditlog.AuditLogRoutes;
import io.sluice.center.auditlog.AuditReply;
import io.sluice.center.auditlog.AuditRowReply;
import io.sluice.center.auditlog.CommandReply;
import io.sluice.center.govern.AdjustmentRoutes;
import io.sluice.center.govern.ApprovalRoutes;
import io.sluice.center.govern.ChangeRoutes;
import io.sluice.center.govern.RolloutRoutes;
import io.sluice.center.govern.RuleRoutes;
import io.sluice.center.govern.reply.ApprovalReply;
import io.sluice.center.govern.reply.ApprovalSettingsReply;
import io.sluice.center.govern.reply.ChangeReply;
import io.sluice.center.govern.reply.ChangeSummary;
import io.sluice.center.govern.reply.CheckReply;
import io.sluice.center.govern.reply.DiffReply;
import io.sluice.center.govern.reply.EmergencyReply;
import io.sluice.center.govern.reply.NoticeReply;
import io.sluice.center.govern.reply.OverrideReply;
import io.sluice.center.govern.reply.RolloutReply;
import io.sluice.center.govern.reply.RuleHistoryReply;
import io.sluice.center.govern.reply.RuleReply;
import io.sluice.center.govern.reply.RulesReply;
import io.sluice.center.govern.reply.SwitchReply;
import io.sluice.center.govern.reply.TrialReply;
import io.sluice.center.govern.reply.VersionDocumentReply;
import io.sluice.center.govern.reply.VersionReply;
import io.sluice.center.nodes.NodeReply;
import io.sluice.center.nodes.NodeRoutes;
import io.sluice.runtime.fleet.Fleet;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The published description and the controllers say the same. */
class OpenApiTest {

    private static final List<Class<?>> ROUTES = List.of(
            RuleRoutes.class,
            ChangeRoutes.class,
            RolloutRoutes.class,
            AdjustmentRoutes.class,
            ApprovalRoutes.class,
            NodeRoutes.class,
            io.sluice.center.erase.ErasureRoutes.class,
            io.sluice.center.durable.DurableRoutes.class,
            io.sluice.center.callers.CallerRoutes.class,
            io.sluice.center.explain.ExplainRoutes.class,
            io.sluice.center.token.TokenRoutes.class,
            StatusRoutes.class,
            AuditLogRoutes.class,
            io.sluice.center.export.ExportRoutes.class,
            io.sluice.center.sink.SinkRoutes.class,
            io.sluice.center.alert.AlertRoutes.class,
            io.sluice.center.retention.RetentionRoutes.class,
            io.sluice.center.series.SeriesRoutes.class,
            io.sluice.center.decisions.DecisionRoutes.class,
            io.sluice.center.passkey.PasskeyRoutes.class,
            io.sluice.center.account.SessionRoutes.class,
            io.sluice.center.account.MeRoutes.class,
            io.sluice.center.account.UserRoutes.class,
            OpenApiRoute.class);

    private static final Map<Class<?>, String> SCHEMAS = Map.ofEntries(
            Map.entry(RulesReply.class, "Rules"),
            Map.entry(RuleReply.class, "Rule"),
            Map.entry(RuleHistoryReply.class, "RuleHistory"),
            Map.entry(RuleHistoryReply.Step.class, "Step"),
            Map.entry(VersionReply.class, "Version"),
            Map.entry(VersionDocumentReply.class, "VersionDocument"),
            Map.entry(DiffReply.class, "Diff"),
            Map.entry(ChangeReply.class, "Change"),
            Map.entry(ChangeReply.Checks.class, "Checks"),
            Map.entry(ChangeReply.Finding.class, "Finding"),
            Map.entry(CheckReply.class, "Check"),
            Map.entry(CheckReply.Found.class, "CheckError"),
            Map.entry(ChangeSummary.class, "ChangeSummary"),
            Map.entry(ApprovalReply.class, "Approval"),
            Map.entry(ApprovalReply.Given.class, "ApprovalGiven"),
            Map.entry(ApprovalSettingsReply.class, "ApprovalSettings"),
            Map.entry(ApprovalSettingsReply.Proposal.class, "ApprovalProposal"),
            Map.entry(EmergencyReply.class, "Emergency"),
            Map.entry(NoticeReply.class, "Notice"),
            Map.entry(RolloutReply.class, "Rollout"),
            Map.entry(RolloutReply.NodeAnswer.class, "NodeAnswer"),
            Map.entry(TrialReply.class, "Trial"),
            Map.entry(TrialReply.VerdictReply.class, "Verdict"),
            Map.entry(TrialReply.ComparisonReply.class, "Comparison"),
            Map.entry(OverrideReply.class, "Override"),
            Map.entry(SwitchReply.class, "Switch"),
            Map.entry(StatusReply.Adjusted.class, "Adjusted"),
            Map.entry(NodeReply.class, "Node"),
            Map.entry(io.sluice.center.token.TokenReply.class, "Token"),
            Map.entry(io.sluice.center.token.NewTokenReply.class, "NewToken"),
            Map.entry(NodeReply.Refusal.class, "Refusal"),
            Map.entry(NodeReply.Audit.class, "NodeAudit"),
            Map.entry(NodeReply.Store.class, "NodeStore"),
            Map.entry(NodeReply.OnFailure.class, "NodeOnFailure"),
            Map.entry(StatusReply.class, "Status"),
            Map.entry(StatusReply.Redis.class, "RedisStatus"),
            Map.entry(CommandReply.class, "Command"),
            Map.entry(AuditReply.class, "Audit"),
            Map.entry(AuditReply.Integrity.class, "AuditIntegrity"),
            Map.entry(AuditReply.Completeness.class, "AuditCompleteness"),
            Map.entry(AuditReply.Witness.class, "AuditWitness"),
            Map.entry(AuditRowReply.class, "AuditRow"),
            Map.entry(io.sluice.center.sink.SinkReply.class, "AuditSink"),
            Map.entry(io.sluice.center.alert.AlertReply.class, "Alert"),
            Map.entry(io.sluice.center.alert.AlertRuleReply.class, "AlertRule"),
            Map.entry(io.sluice.center.alert.SilenceReply.class, "AlertSilence"),
            Map.entry(io.sluice.center.destination.DestinationReply.class, "AlertDestination"),
            Map.entry(io.sluice.center.erase.ErasureReply.class, "Erasure"),
            Map.entry(io.sluice.center.erase.ErasureReply.ErasureNodeReply.class, "ErasureNode"),
            Map.entry(io.sluice.center.callers.TopReply.class, "Top"),
            Map.entry(io.sluice.center.callers.TopReply.TopEntry.class, "TopEntry"),
            Map.entry(io.sluice.center.callers.CallerReply.class, "Caller"),
            Map.entry(io.sluice.center.callers.CallerReply.HashOverride.class, "HashOverride"),
            Map.entry(io.sluice.center.callers.RevealReply.class, "Reveal"),
            Map.entry(io.sluice.center.explain.ExplainReply.class, "Explanation"),
            Map.entry(io.sluice.center.explain.ExplainReply.ExplainedRule.class, "ExplainedRule"),
            Map.entry(io.sluice.center.explain.ExplainReply.ExplainedLimit.class, "ExplainedLimit"),
            Map.entry(io.sluice.center.explain.ExplainReply.ExplainedDecision.class, "ExplainedDecision"),
            Map.entry(io.sluice.center.dryrun.DryRunReply.class, "DryRun"),
            Map.entry(io.sluice.center.dryrun.DryRunReply.Nodes.class, "DryRunNodes"),
            Map.entry(io.sluice.center.dryrun.DryRunReply.Minute.class, "DryRunMinute"),
            Map.entry(io.sluice.center.dryrun.DryRunReply.TriedRule.class, "DryRunRule"),
            Map.entry(io.sluice.center.dryrun.DryRunReply.RefusedCaller.class, "DryRunCaller"),
            Map.entry(io.sluice.center.dryrun.DryRunReply.Note.class, "DryRunNote"),
            Map.entry(io.sluice.center.passkey.PasskeyReply.class, "Passkey"),
            Map.entry(io.sluice.center.passkey.PasskeyRoutes.PasskeySession.class, "PasskeySession"),
            Map.entry(io.sluice.center.account.SessionReply.class, "Session"),
            Map.entry(io.sluice.center.account.SessionReply.Ways.class, "Ways"),
            Map.entry(io.sluice.center.account.SessionReply.Server.class, "IdentityServer"),
            Map.entry(io.sluice.center.account.SetUpReply.class, "SetUp"),
            Map.entry(io.sluice.center.account.MeReply.class, "Me"),
            Map.entry(io.sluice.center.account.MeReply.FactorReply.class, "PresentedFactor"),
            Map.entry(io.sluice.center.account.UserReply.class, "User"),
            Map.entry(io.sluice.center.series.SeriesReply.class, "Series"),
            Map.entry(io.sluice.center.series.SeriesPoint.class, "SeriesPoint"),
            Map.entry(io.sluice.center.series.RuleSum.class, "RuleSum"),
            Map.entry(io.sluice.center.retention.DataKindReply.class, "DataKind"),
            Map.entry(io.sluice.center.edit.Collision.class, "Collision"),
            Map.entry(io.sluice.center.edit.Tally.class, "Tally"),
            Map.entry(io.sluice.rules.yaml.DocumentError.class, "DocumentError"));

    private final JsonNode document = read();

    @Test
    void describesEveryRouteAndNoOther() {
        Set<String> described = new TreeSet<>();
        document.get("paths").properties().forEach(path -> path.getValue()
                .propertyNames()
                .forEach(method -> described.add(method + " " + path.getKey())));
        Set<String> real = new TreeSet<>(Set.of("get /api/nodes/rules", "get /api/stream"));
        for (Method method : routes()) {
            real.add(verb(method) + " " + path(method));
        }
        assertThat(described).isEqualTo(real);
    }

    @Test
    void describesTheParametersOfEveryRoute() {
        for (Method method : routes()) {
            Set<String> real = new TreeSet<>();
            Arrays.stream(method.getParameters()).forEach(parameter -> {
                PathVariable path = parameter.getAnnotation(PathVariable.class);
                RequestParam query = parameter.getAnnotation(RequestParam.class);
                if (path != null) {
                    real.add("path " + path.value());
                } else if (query != null) {
                    real.add("query " + query.name());
                }
            });
            Set<String> described = new TreeSet<>();
            JsonNode parameters = operation(method).path("parameters");
            parameters.forEach(parameter -> {
                if (!parameter.has("$ref")) {
                    described.add(parameter.get("in").asString() + " "
                            + parameter.get("name").asString());
                }
            });
            assertThat(described).as(path(method)).isEqualTo(real);
        }
    }

    @Test
    void everyChangeTakesAnIdempotencyKey() {
        String name = "IdempotencyKey";
        assertThat(document.at("/components/parameters/" + name + "/name").asString())
                .isEqualTo("Idempotency-Key");
        for (Method method : routes()) {
            // Questions, reports of nodes, and sign-ins are no changes, or have no actor.
            boolean isChange = !verb(method).equals("get")
                    && !path(method)
                            .matches("/api/(changes/(check|dry-run)|explain|audit/verify|nodes/.*|durable/.*|session.*|"
                                    + "set-up.*|me/passkeys/options)");
            assertThat(operation(method).path("parameters").toString().contains("#/components/parameters/" + name))
                    .as(verb(method) + " " + path(method))
                    .isEqualTo(isChange);
        }
    }

    @Test
    void describesTheAnswerOfEveryRoute() {
        for (Method method : routes()) {
            JsonNode responses = operation(method).get("responses");
            JsonNode schema = responses
                    .properties()
                    .iterator()
                    .next()
                    .getValue()
                    .get("content")
                    .iterator()
                    .next()
                    .get("schema");
            Type type = method.getGenericReturnType();
            if (type != String.class && type != byte[].class && method.getReturnType() != ResponseEntity.class) {
                assertThat(schema).as(path(method)).isEqualTo(schema(type));
            }
        }
    }

    @Test
    void describesEveryFieldOfEveryAnswer() {
        SCHEMAS.forEach((type, name) -> {
            JsonNode properties = document.at("/components/schemas/" + name + "/properties");
            assertThat(names(properties)).as(name).isEqualTo(fields(type));
            for (RecordComponent component : components(type).toList()) {
                JsonNode described = properties.get(field(component));
                JsonNode expected = schema(component.getGenericType());
                String text = described.toString();
                if (expected.has("$ref")) {
                    assertThat(text).as(name).contains(expected.get("$ref").toString());
                } else if (expected.has("type")) {
                    assertThat(described.get("type").toString())
                            .as(name + "." + component.getName())
                            .contains(expected.get("type").asString());
                }
            }
        });
        Set<String> fleet = new TreeSet<>(names(JsonMapper.shared().readTree(new Fleet(1, 1, "", 1).toJson())));
        fleet.addAll(List.of("audit", "erasures", "excerpts", "questions", "requests", "stored"));
        assertThat(names(document.at("/components/schemas/Fleet/properties"))).isEqualTo(fleet);
    }

    @Test
    void everyReferenceHasASchema() {
        String text = document.toString();
        java.util.regex.Pattern.compile("#/components/schemas/([A-Za-z]+)")
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .distinct()
                .forEach(name -> assertThat(
                                document.at("/components/schemas/" + name).isMissingNode())
                        .as(name)
                        .isFalse());
    }

    private JsonNode operation(Method method) {
        return document.get("paths").get(path(method)).get(verb(method));
    }

    private static List<Method> routes() {
        return ROUTES.stream()
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class))
                .toList();
    }

    private static String path(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class)
                .path()[0];
    }

    private static String verb(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, RequestMapping.class)
                .method()[0]
                .name()
                .toLowerCase(Locale.ROOT);
    }

    private static JsonNode schema(Type type) {
        JsonMapper json = JsonMapper.shared();
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            Type item = list.getActualTypeArguments()[0];
            return SCHEMAS.containsKey(item)
                    ? json.createObjectNode().put("type", "array").set("items", schema(item))
                    : json.createObjectNode().put("type", "array");
        }
        if (SCHEMAS.containsKey(type)) {
            return json.createObjectNode().put("$ref", "#/components/schemas/" + SCHEMAS.get(type));
        }
        if (type == long.class || type == int.class || type == Long.class || type == Integer.class) {
            return json.createObjectNode().put("type", "integer");
        }
        if (type == Double.class) {
            return json.createObjectNode().put("type", "number");
        }
        if (type == boolean.class) {
            return json.createObjectNode().put("type", "boolean");
        }
        return type == String.class || type == Instant.class
                ? json.createObjectNode().put("type", "string")
                : json.createObjectNode();
    }

    private static Set<String> fields(Class<?> type) {
        Set<String> fields = new TreeSet<>();
        components(type).forEach(component -> fields.add(field(component)));
        return fields;
    }

    /** The fields of a component that is unwrapped stand beside the others. */
    private static Stream<RecordComponent> components(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .flatMap(component -> component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)
                        ? components(component.getType())
                        : Stream.of(component));
    }

    /** Words such as {@code for} cannot be names in Java. */
    private static String field(RecordComponent component) {
        JsonProperty named = component.getAccessor().getAnnotation(JsonProperty.class);
        return named == null ? snake(component.getName()) : named.value();
    }

    private static Set<String> names(JsonNode object) {
        return new TreeSet<>(object.propertyNames());
    }

    private static String snake(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private static JsonNode read() {
        try (InputStream in = OpenApiTest.class.getResourceAsStream("/io/sluice/center/web/openapi.json")) {
            return JsonMapper.shared().readTree(in);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
