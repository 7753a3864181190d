package io.sluice.cli.alert;

import io.sluice.center.destination.AlertSettings;
import io.sluice.center.destination.AlertSettings.Encryption;
import io.sluice.center.destination.AlertSettings.Login;
import io.sluice.center.destination.AlertSeverity;
import io.sluice.node.config.CenterAlerts;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Passes the destinations of alerts in the configuration to the center. */
public final class AlertPlaces {

    private AlertPlaces() {}

    /** Returns the destinations in the form that the center expects. */
    public static AlertSettings of(CenterAlerts alerts) {
        return new AlertSettings(
                alerts.webhooks().stream().map(AlertPlaces::webhook).toList(),
                alerts.email().map(AlertPlaces::email));
    }

    private static AlertSettings.Webhook webhook(CenterAlerts.Webhook webhook) {
        return new AlertSettings.Webhook(
                webhook.url(), webhook.secretFile(), webhook.ca(), severities(webhook.severities()));
    }

    private static AlertSettings.Email email(CenterAlerts.Email email) {
        Optional<Login> login =
                email.user().flatMap(user -> email.passwordFile().map(file -> new Login(user, file)));
        return new AlertSettings.Email(
                email.host(),
                email.port(),
                Encryption.valueOf(email.tls().toUpperCase(Locale.ROOT)),
                login,
                email.ca(),
                email.from(),
                email.to(),
                severities(email.severities()));
    }

    private static Set<AlertSeverity> severities(List<String> words) {
        return words.stream()
                .flatMap(word -> AlertSeverity.find(word).stream())
                .collect(Collectors.toUnmodifiableSet());
    }
}
