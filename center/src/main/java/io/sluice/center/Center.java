package io.sluice.center;

import io.sluice.center.access.Right;
import io.sluice.center.account.SetUp;
import io.sluice.center.adjust.AdjustmentBook;
import io.sluice.center.alert.Alerts;
import io.sluice.center.audit.AuditMemory;
import io.sluice.center.change.Changes;
import io.sluice.center.checkpoint.AuditKeys;
import io.sluice.center.checkpoint.Checkpoints;
import io.sluice.center.command.CommandLog;
import io.sluice.center.command.RefusalLog;
import io.sluice.center.database.Backups;
import io.sluice.center.database.DataDirectory;
import io.sluice.center.database.Database;
import io.sluice.center.database.DatabaseUnusableException;
import io.sluice.center.database.NightlyBackup;
import io.sluice.center.destination.Destinations;
import io.sluice.center.edge.Exposure;
import io.sluice.center.edge.ServerCertificate;
import io.sluice.center.erase.Erasures;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.RuleFeed;
import io.sluice.center.identity.IdentityConfiguration;
import io.sluice.center.identity.ServerConfirmations;
import io.sluice.center.people.People;
import io.sluice.center.release.CurrentRules;
import io.sluice.center.release.Jury;
import io.sluice.center.release.Reconciler;
import io.sluice.center.release.Releases;
import io.sluice.center.release.Schedules;
import io.sluice.center.retention.Retention;
import io.sluice.center.signin.AdminToken;
import io.sluice.center.signin.Passwords;
import io.sluice.center.signin.PublicAddress;
import io.sluice.center.signin.SignInParts;
import io.sluice.center.signin.SignInThrottle;
import io.sluice.center.sink.AuditSinks;
import io.sluice.center.stream.ReleaseNews;
import io.sluice.center.stream.Stream;
import io.sluice.center.traffic.Traffic;
import io.sluice.center.version.Versions;
import io.sluice.center.web.CenterParts;
import io.sluice.center.web.WebServer;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.PortInUseException;

/**
 * A running center: the control plane of a fleet of nodes. It stores changes and versions of the rules in a database, releases
 * them through Redis and over HTTP, and follows the nodes. Several centers may use one database. Thread-safe.
 */
public final class Center implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Center.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final CenterSettings settings;
    private final Clock clock;
    private volatile int port;
    private final Passwords passwords;
    private @Nullable People people;
    private @Nullable Stream stream;
    private @Nullable WebServer server;
    private @Nullable Reconciler reconciler;
    private Optional<String> setUpLink = Optional.empty();
    private Path tokenFile = Path.of("");

    private Center(CenterSettings settings, Clock clock, Passwords passwords) {
        this.settings = settings;
        this.clock = clock;
        this.passwords = passwords;
    }

    /**
     * Starts a center. Returns when the center serves requests.
     *
     * @throws CenterStartException if the center cannot start; the message is one line for the user
     */
    public static Center open(CenterSettings settings) throws CenterStartException {
        return open(settings, Clock.system());
    }

    static Center open(CenterSettings settings, Clock clock) throws CenterStartException {
        return open(settings, clock, Passwords.argon2());
    }

    /** Starts a center with other password hashes. Tests use hashes that take less time. */
    static Center open(CenterSettings settings, Clock clock, Passwords passwords) throws CenterStartException {
        Center center = new Center(settings, clock, passwords);
        try {
            center.start();
            return center;
        } catch (DatabaseUnusableException | IOException | RuntimeException e) {
            center.close();
            throw new CenterStartException(center.message(e), e);
        }
    }

    /** Returns the address of the API. */
    public URI address() {
        String host = settings.bind().contains(":") ? "[" + settings.bind() + "]" : settings.bind();
        return URI.create((isTls() ? "https://" : "http://") + host + ":" + port);
    }

    /** Returns the address at which people reach the center. */
    public URI publicUrl() {
        return publicAddress().url();
    }

    private PublicAddress publicAddress() {
        return PublicAddress.of(settings.signIn().publicUrl(), isTls(), port);
    }

    private boolean isTls() {
        return settings.signIn().tls().isPresent();
    }

    /** Returns the people who use the center. */
    People people() {
        return Objects.requireNonNull(people);
    }

    /** Returns the stream of events to listeners. */
    Stream stream() {
        return Objects.requireNonNull(stream);
    }

    /** Takes a turn of every duty now, so that a test need not wait for it. */
    void step() {
        Objects.requireNonNull(reconciler).step();
    }

    /** Returns the HTTP server. */
    WebServer server() {
        return Objects.requireNonNull(server);
    }

    /** Returns the component that computes the hashes of passwords. */
    Passwords passwords() {
        return passwords;
    }

    /**
     * Returns the link that sets up the first administrator, while there is no administrator. The link is valid for one use within 24
     * hours, and until the next start.
     */
    public Optional<String> setUpLink() {
        return setUpLink;
    }

    /** Returns the file with the administrator's token. */
    public Path adminTokenFile() {
        return tokenFile;
    }

    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                LOG.warn("a part of the center did not stop cleanly", e);
            }
        }
    }

    private void start() throws DatabaseUnusableException, IOException {
        Exposure.check(settings.bind(), settings.signIn());
        if (isTls()) {
            ServerCertificate.check(settings.signIn().tls().orElseThrow());
        }
        DataDirectory directory = opened(DataDirectory.open(settings.data()));
        AdminToken token = settings.adminTokenFile().isPresent()
                ? AdminToken.read(settings.adminTokenFile().get())
                : AdminToken.of(directory.path());
        tokenFile = token.file();
        IdentityConfiguration.requireSecrets(settings.signIn());
        Database database = opened(Database.open(settings.db(), directory.path()));
        Versions versions = new Versions();
        CommandLog log = new CommandLog(clock);
        people = People.of(database, log, clock);
        ServerConfirmations servers = opened(ServerConfirmations.open(settings.signIn(), people(), clock));
        Changes changes = new Changes(database, versions, log, clock);
        LiveNodes nodes = new LiveNodes(clock);
        RuleFeed feed = new RuleFeed();
        CurrentRules current = new CurrentRules(versions);
        AdjustmentBook adjustments = new AdjustmentBook(database, log, clock, current::all);
        Reconciler reconciler = opened(new Reconciler(
                database,
                current,
                adjustments,
                nodes,
                feed,
                clock,
                UUID.randomUUID().toString(),
                settings.redis()));
        Releases releases = new Releases(database, versions, changes, log, clock, reconciler::highestElsewhere);
        database.write(client -> {
            log.addOldRows(client);
            return true;
        });
        RefusalLog refusals = opened(new RefusalLog(database, log, clock));
        reconciler.add("refused requests", leads -> refusals.tell());
        AuditKeys keys = new AuditKeys(database, directory.path(), clock);
        keys.begin();
        Erasures erasures = Erasures.open(database, log, clock, nodes, keys, CenterData.personal(), directory.path());
        reconciler.add("erasures", erasures::turn);
        AuditMemory audit = new AuditMemory(database, directory.path(), clock);
        reconciler.add("audit memory", leads -> audit.look());
        reconciler.add("audit rounds", leads -> audit.patrol());
        Checkpoints checkpoints = new Checkpoints(database, keys, nodes, clock);
        reconciler.add("checkpoints", checkpoints::turn);
        reconciler.tell(checkpoints::board);
        releases.emergencies().endAdjustmentsBy(adjustments::end);
        reconciler.add("schedules", new Schedules(releases));
        reconciler.add("emergencies", releases.emergencies());
        reconciler.add("verdicts", new Jury(database, versions, releases.trials(), nodes, clock));
        reconciler.add("expiry", leads -> {
            if (leads) {
                adjustments.expire();
                people().expire();
            }
        });
        reconciler.add("people of identity servers", servers::turn);
        AuditSinks sinks = opened(AuditSinks.open(settings.sinks(), database, directory.path(), clock));
        reconciler.add("audit sinks", sinks::turn);
        Retention retention = new Retention(
                database,
                log,
                clock,
                settings.retention(),
                CenterData.aging(),
                keys,
                () -> Retention.witnesses(nodes),
                audit::problem,
                () -> settings.shown().map(foreign -> foreign.rules().get()).orElseGet(reconciler::latest));
        reconciler.add("retention", retention);
        Traffic traffic = opened(Traffic.open(database, nodes, clock, directory.path()));
        erasures.add(traffic.callers().erasable());
        erasures.add(traffic.decisions().erasable());
        reconciler.add("traffic", leads -> traffic.turn());
        reconciler.hear(traffic::heardInRedis);
        traffic.seeBy(() -> settings.shown()
                .map(foreign -> List.of(foreign.rules().get()))
                .orElseGet(() -> reconciler.rules().all()));
        stream = traffic.stream();
        ReleaseNews releaseNews = new ReleaseNews(traffic.stream(), releases, changes, database, clock);
        reconciler.add("release news", leads -> releaseNews.turn());
        Alerts alerts = opened(Alerts.of(
                new Alerts.Parts(database, log, clock, nodes, releases, reconciler, checkpoints),
                () -> Optional.of(traffic.series()),
                () -> Optional.of(traffic.callers()),
                Destinations.open(settings.alerts(), clock),
                () -> port == 0 ? Optional.empty() : Optional.of(publicUrl())));
        alerts.listen(
                json -> traffic.stream().publish("alerts", json, access -> access.mayEverywhere(Right.SEE_FLEET)));
        reconciler.add("alerts", alerts::turn);
        if (!settings.firstRules().isEmpty()) {
            boolean unused = releases.begin(
                    new RuleSet(1, settings.firstRules()), "First rules", "the rules that the center was started with");
        }
        // The faults that the audit memory knows prevent other duties from removing rows.
        audit.look();
        reconciler.start();
        this.reconciler = reconciler;
        Backups backups = new Backups(
                database,
                directory.path().resolve("backups"),
                clock,
                settings.retention().backups());
        opened(new NightlyBackup(backups, reconciler::leads, clock)).start();
        server = opened(WebServer.start(
                new CenterParts(
                        database,
                        versions,
                        changes,
                        releases,
                        adjustments,
                        reconciler,
                        nodes,
                        feed,
                        log,
                        audit,
                        checkpoints,
                        sinks,
                        erasures,
                        retention,
                        traffic,
                        alerts,
                        clock,
                        settings.shown()),
                new SignInParts(
                        people(),
                        token,
                        settings.signIn(),
                        this::publicAddress,
                        clock,
                        passwords,
                        opened(SignInThrottle.open(settings.redis(), clock)),
                        refusals,
                        servers),
                servers,
                settings.bind(),
                settings.port()));
        // Streams do not end by themselves, and the server waits for the end of requests.
        opened(feed::end);
        opened(traffic.stream()::end);
        port = server().port();
        setUpLink = new SetUp(people(), passwords).firstLink().map(secret -> SetUp.link(publicAddress(), secret));
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    private String message(Exception failure) {
        if (failure instanceof DatabaseUnusableException || failure instanceof IOException) {
            return String.valueOf(failure.getMessage());
        }
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (failure instanceof PortInUseException || root instanceof BindException) {
            return "center port " + settings.port() + " on " + settings.bind() + ": "
                    + (failure instanceof PortInUseException
                                    || String.valueOf(root.getMessage()).contains("in use")
                            ? "in use (expected: a free port; choose another with --center-port, 0 takes any)"
                            : root.getMessage() + " (expected: an address of this machine)");
        }
        return "the center cannot start: " + String.valueOf(root.getMessage()).replaceAll("\\s+", " ");
    }
}
