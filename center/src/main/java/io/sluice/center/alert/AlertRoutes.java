package io.sluice.center.alert;

import io.sluice.center.access.Access;
import io.sluice.center.destination.DestinationReply;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.http.RequestTime;
import io.sluice.center.refusal.RefusedException;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Alerts, their rules, silences and destinations. */
@RestController
public final class AlertRoutes {

    private final Alerts alerts;

    AlertRoutes(Alerts alerts) {
        this.alerts = alerts;
    }

    @GetMapping("/api/alerts")
    List<AlertReply> list() {
        return alerts.list();
    }

    @GetMapping("/api/alerts/destinations")
    List<DestinationReply> destinations() {
        return alerts.destinations();
    }

    @GetMapping("/api/alerts/rules")
    List<AlertRuleReply> rules() {
        return alerts.book().rules().stream().map(AlertRuleReply::of).toList();
    }

    @PutMapping("/api/alerts/rules/{id}")
    AlertRuleReply put(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") String id,
            HttpServletRequest request) {
        Set<String> known = new TreeSet<>(AlertRuleText.fields());
        known.addAll(Set.of("revision", "reason"));
        JsonNode body = RequestBody.object(request, known);
        if (!body.has("revision")) {
            throw RefusedException.invalid(
                    "revision: missing (expected: that of GET /api/alerts/rules, or 0 for a new rule)");
        }
        ObjectNode fields = ((ObjectNode) body).deepCopy();
        fields.remove("revision");
        fields.remove("reason");
        return AlertRuleReply.of(alerts.book()
                .put(
                        access.actor(),
                        id,
                        RequestBody.number(body, "revision", 0),
                        fields,
                        RequestBody.string(body, "reason", "")));
    }

    @DeleteMapping("/api/alerts/rules/{id}")
    AlertRuleReply remove(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") String id,
            @RequestParam(name = "reason", defaultValue = "") String reason,
            HttpServletRequest request) {
        return AlertRuleReply.of(alerts.book().remove(access.actor(), id, reason(request, reason)));
    }

    @GetMapping("/api/alerts/silences")
    List<SilenceReply> silences() {
        return alerts.book().silences().stream().map(SilenceReply::of).toList();
    }

    @PostMapping("/api/alerts/silences")
    @ResponseStatus(HttpStatus.CREATED)
    SilenceReply silence(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("kind", "rule", "alert", "until", "in", "reason"));
        AlertBook.Wish wish = new AlertBook.Wish(
                RequestBody.string(body, "kind", ""),
                RequestBody.string(body, "rule", ""),
                RequestBody.number(body, "alert", 0));
        Instant until = RequestTime.until(body, Instant.ofEpochMilli(alerts.now()));
        return SilenceReply.of(
                alerts.book().silence(access.actor(), wish, until, RequestBody.string(body, "reason", "")));
    }

    @DeleteMapping("/api/alerts/silences/{id}")
    SilenceReply end(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("id") long id,
            @RequestParam(name = "reason", defaultValue = "") String reason,
            HttpServletRequest request) {
        return SilenceReply.of(alerts.book().end(access.actor(), id, reason(request, reason)));
    }

    private static String reason(HttpServletRequest request, String otherwise) {
        return RequestBody.string(RequestBody.object(request, Set.of("reason")), "reason", otherwise);
    }
}
