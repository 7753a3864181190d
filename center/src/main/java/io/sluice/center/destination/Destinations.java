package io.sluice.center.destination;

import io.sluice.core.time.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All destinations of the alerts of a center. Thread-safe. */
public final class Destinations implements AutoCloseable {

    private final List<DestinationQueue> queues = new ArrayList<>();

    private Destinations() {}

    /**
     * Creates the destinations.
     *
     * @throws IOException if a secret or a certificate cannot be read; the message is one line for the user
     */
    public static Destinations open(AlertSettings settings, Clock clock) throws IOException {
        Destinations destinations = new Destinations();
        int number = 0;
        for (AlertSettings.Webhook each : settings.webhooks()) {
            number++;
            // The other parts of the address may be secret.
            String name = "webhook " + number + " at " + each.url().getScheme() + "://"
                    + each.url().getHost();
            destinations.queues.add(new DestinationQueue(name, new Webhook(each, clock), each.severities(), clock));
        }
        if (settings.email().isPresent()) {
            AlertSettings.Email email = settings.email().get();
            String name = "e-mail through " + email.host() + ":" + email.port();
            destinations.queues.add(
                    new DestinationQueue(name, new MailServer(email, clock), email.severities(), clock));
        }
        destinations.queues.forEach(DestinationQueue::start);
        return destinations;
    }

    /** Takes messages for all destinations. Returns immediately. */
    public void offer(List<AlertMessage> messages) {
        queues.forEach(each -> each.offer(messages));
    }

    /** Triggers another attempt after failures. Returns immediately. */
    public void turn() {
        queues.forEach(DestinationQueue::turn);
    }

    public List<DestinationReply> states() {
        return queues.stream().map(DestinationQueue::state).toList();
    }

    /** Returns the problems of the destinations, as sentences. */
    public List<String> problems() {
        return queues.stream().flatMap(each -> each.problem().stream()).toList();
    }

    @Override
    public void close() {
        queues.forEach(DestinationQueue::close);
    }
}
