package io.sluice.center.console;

import io.sluice.center.ApiClient;
import io.sluice.center.ApiClient.Answer;
import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.center.CenterStartException;
import io.sluice.center.PreparedCenter;
import io.sluice.center.StagedCenter;
import io.sluice.center.people.Account;
import io.sluice.center.series.SeriesHistory;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.Tally;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * A center of a shop that has been in use for two weeks: rules, people, releases, a trial, six nodes with traffic, refused callers and
 * alerts. Everything came through the API, apart from passwords and from traffic that is older than two hours. The newest release refuses
 * too many searches. Its nodes go on reporting until it is closed.
 */
public final class ConsoleStage implements AutoCloseable {

    /** The password of everybody. */
    public static final String PASSWORD = "correct horse battery";

    private static final Logger LOG = LoggerFactory.getLogger(ConsoleStage.class);
    private static final Duration SOON = Duration.ofMinutes(5);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration PAST = Duration.ofDays(13);
    private static final int DEGRADED = 3;
    private static final int BEHIND = 4;
    private static final int TRIAL_SHARE = 5;

    private final StageClock clock = StageClock.behind(PAST);
    private final Instant now = Instant.now();
    private final Path data;
    private final int port;
    private final ShopTraffic traffic;
    private final List<StageNode> nodes = new ArrayList<>();
    private final Map<String, Account> people = new LinkedHashMap<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "console-stage");
        made.setDaemon(true);
        return made;
    });
    private Center center;
    private ApiClient machine;
    private long trialVersion;
    private String trialDigest = "";
    private long trialRollout;
    private long inForce;
    private long reportedSecond;
    private long tried;

    private ConsoleStage(Path data, int port) throws CenterStartException {
        this.data = data;
        this.port = port;
        this.traffic = new ShopTraffic(now.minus(Duration.ofMinutes(20)).getEpochSecond());
        this.center = StagedCenter.open(settings(), clock);
        this.machine = ApiClient.of(center);
    }

    private CenterSettings settings() {
        return PreparedCenter.in(data).listening("127.0.0.1", port);
    }

    /**
     * Opens the stage.
     *
     * @param data an empty directory
     * @param port 0 for a free one
     */
    public static ConsoleStage open(Path data, int port) throws CenterStartException {
        ConsoleStage stage = new ConsoleStage(data, port);
        try {
            stage.fill();
            return stage;
        } catch (RuntimeException | Error e) {
            stage.close();
            throw e;
        }
    }

    /** Opens a stage on a port until it is killed. Arguments: port, data directory. */
    public static void main(String[] arguments) throws Exception {
        ConsoleStage stage = open(Path.of(arguments[1]), Integer.parseInt(arguments[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(stage::close));
        System.out.println("the stage is at " + stage.url()
                + "; sign in as root, mara, wei, jonas, priya, sam, lena, nora or iris: " + PASSWORD);
        new CountDownLatch(1).await();
    }

    public Center center() {
        return center;
    }

    /** Returns the address for browsers. */
    public URI url() {
        return center.publicUrl();
    }

    /** Returns the administrator's token. */
    public ApiClient machine() {
        return machine;
    }

    /** Lets the nodes record their requests, or stop it. */
    public synchronized void record(boolean wanted) {
        nodes.forEach(node -> node.records(wanted));
        report();
    }

    /** Returns somebody who has just signed in: mara administers, wei and jonas edit, priya approves, sam is on call, lena looks on. */
    public ApiClient as(String name) {
        return ApiClient.person(center, people.get(name));
    }

    /** Returns the rollout of the trial. */
    public long trialRollout() {
        return trialRollout;
    }

    private void fill() {
        invite();
        release();
        ago(Duration.ofMinutes(90));
        tokens();
        startNodes();
        ago(Duration.ofMinutes(20));
        spike();
        trial();
        clock.catchUp();
        live();
        // The center looks at a trial in its own time.
        Await.until(
                "the verdict of the trial",
                SOON,
                () -> machine.get("/api/rollouts/" + trialRollout)
                                .expect(200)
                                .json()
                                .at("/trial/verdict/comparisons")
                                .size()
                        == 2);
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private void invite() {
        String hash = StagedCenter.hash(center, PASSWORD);
        String[][] all = {
            {"root", "Root", "{'role':'administrator'}"},
            {"mara", "Mara Vogel", "{'role':'administrator'}"},
            {"wei", "Wei Zhang 张伟", "{'role':'editor'}"},
            {"jonas", "Jonas Becker", "{'role':'editor','labels':{'team':'orders'}},{'role':'viewer'}"},
            {"priya", "Priya Nair", "{'role':'approver'},{'role':'editor'}"},
            {"sam", "Sam Okafor", "{'role':'operator'}"},
            {"lena", "Lena Fischer", "{'role':'viewer'}"},
            {"nora", "Nora Lind", "{'role':'tenant_administrator','tenant':'acme'}"},
            {"iris", "Iris Malik", "{'role':'viewer','tenant':'acme'}"},
            {"tom", "Tom Hale", "{'role':'editor'}"},
        };
        for (String[] one : all) {
            Answer made = machine.post(
                            "/api/users",
                            json("{'user':'" + one[0] + "','display_name':'" + one[1] + "','email':'" + one[0]
                                    + "@shop.example','roles':[" + one[2] + "],'reason':'joins the team'}"))
                    .expect(201);
            people.put(one[0], StagedCenter.password(center, made.number("id"), hash));
        }
    }

    private void release() {
        ago(Duration.ofDays(12));
        String title = URLEncoder.encode("First rules of the shop", StandardCharsets.UTF_8);
        String reason = URLEncoder.encode("moved from the old gateway", StandardCharsets.UTF_8);
        Answer first = as("mara")
                .send(
                        "POST",
                        "/api/changes?base=0&title=" + title + "&reason=" + reason,
                        "application/yaml",
                        document())
                .expect(201);
        release("mara", first);
        for (ShopRelease each : ShopRelease.all()) {
            ago(each.ago());
            Answer change = open(each);
            if (each.isProtected()) {
                approve(change);
            }
            release(each.who(), change);
        }
        ago(Duration.ofHours(30));
        Answer back = as("sam")
                .post("/api/rollback", json("{'to':8,'reason':'incident 311: coupons refused at checkout'}"))
                .expect(202);
        awaitDone(back.number("id"));
        machine.put("/api/users/" + people.get("tom").id(), json("{'disabled':true,'reason':'left the company'}"))
                .expect(200);
    }

    private Answer open(ShopRelease one) {
        return as(one.who())
                .post(
                        "/api/changes",
                        json("{'title':'" + one.title() + "','reason':'" + one.reason() + "','base':" + version()
                                + ",'edits':[" + one.edits() + "]}"))
                .expect(201);
    }

    private void approve(Answer change) {
        as("priya")
                .post(
                        "/api/changes/" + change.number("id") + "/approve",
                        json("{'digest':'" + change.string("digest") + "','comment':'Checked with the owners.'}"))
                .expect(200);
    }

    private void release(String who, Answer change) {
        Answer rollout = as(who).release(change, "\"all\"", "").expect(202);
        awaitDone(rollout.number("id"));
    }

    private void awaitDone(long rollout) {
        Await.until("rollout " + rollout, SOON, () -> machine.get("/api/rollouts/" + rollout)
                .expect(200)
                .string("state")
                .equals("done"));
    }

    private long version() {
        return machine.get("/api/rules").expect(200).number("version");
    }

    private static String document() {
        try (var in = ConsoleStage.class.getResourceAsStream("shop.yaml")) {
            return new String(java.util.Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void ago(Duration span) {
        clock.moveTo(now.minus(span));
    }

    private void tokens() {
        as("mara")
                .post("/api/tokens", json("{'name':'gateways','scopes':['node']}"))
                .expect(201);
        as("wei")
                .post("/api/tokens", json("{'name':'ci of the rules','scopes':['apply'],'in':'90d'}"))
                .expect(201);
        as("sam")
                .post("/api/tokens", json("{'name':'pager','scopes':['read','operate'],'in':'30d'}"))
                .expect(201);
        as("nora")
                .post("/api/tokens", json("{'name':'acme dashboard','scopes':['read']}"))
                .expect(201);
    }

    /** Starts the nodes. The traffic before that is in the database. */
    private void startNodes() {
        Instant start = now.minus(Duration.ofMinutes(26)).truncatedTo(ChronoUnit.MINUTES);
        SeriesHistory history = new SeriesHistory(StagedCenter.database(center), traffic::rules, traffic::nodes);
        history.minutes(start.minus(Duration.ofHours(27)).getEpochSecond() / 3_600 * 3_600, start.getEpochSecond());
        history.hours(start.minus(Duration.ofDays(8)).getEpochSecond() / 3_600 * 3_600, start.getEpochSecond());
        clock.moveTo(start);
        long version = version();
        String digest = StageNode.digest(machine, version);
        for (int i = 0; i < ShopTraffic.NODES.size(); i++) {
            String id = ShopTraffic.NODES.get(i);
            boolean isApplication = id.endsWith("-app");
            nodes.add(new StageNode(
                            machine,
                            id,
                            isApplication ? NodeReport.Kind.APPLICATION : NodeReport.Kind.NODE,
                            isApplication ? "checkout" : id + ".shop.internal:8080",
                            now.minus(Duration.ofHours(70 + 5L * i)).toEpochMilli())
                    .runs(version, digest, clock.millis() - 1_000_000)
                    .witnesses(i != BEHIND));
        }
        reportedSecond = start.getEpochSecond();
        for (int i = 0; i < nodes.size(); i++) {
            for (long minute = reportedSecond / 60 - 50; minute < reportedSecond / 60; minute++) {
                nodes.get(i).refusedCallers(ShopCallers.minute(minute, i, false));
            }
        }
        nodes.get(1).decides(NodeReport.Mode.LOCAL, NodeReport.Breaker.OPEN);
        report();
        stepTo(Instant.ofEpochSecond(clock.second()).plusSeconds(100), MINUTE);
        nodes.get(1).decides(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED);
        stepTo(now.minus(Duration.ofMinutes(21)), MINUTE);
    }

    /** Lets time pass, in steps after which all nodes report. */
    private void stepTo(Instant moment, Duration step) {
        for (Instant next = Instant.ofEpochMilli(clock.millis()).plus(step);
                next.isBefore(moment);
                next = next.plus(step)) {
            clock.moveTo(next);
            report();
        }
        clock.moveTo(moment);
        report();
    }

    /** Sends what happened since the last report. */
    private synchronized void report() {
        long until = clock.second();
        boolean isLive = until - reportedSecond < 30;
        for (int i = 0; i < nodes.size(); i++) {
            StageNode node = nodes.get(i);
            for (long second = reportedSecond; second < until; second++) {
                // Of the past, each node tells the traffic of the fleet in some of the seconds. That is less to send.
                if (isLive) {
                    node.counted(second, traffic.at(second, i));
                } else if (second % nodes.size() == i) {
                    node.counted(second, traffic.rules(second, 1));
                }
                boolean isSpike = traffic.isSpike(second);
                if (isLive || (second % 7 == i && second > until - 1_200)) {
                    node.decided(ShopCallers.decisions(second, i, isSpike, node.version(), isLive ? 2 : 1));
                }
                if (second % 60 == 59) {
                    node.refusedCallers(ShopCallers.minute(second / 60, i, isSpike));
                }
            }
            if (trialVersion > 0 && node.version() == inForce) {
                Tally usual = new Tally(tried, tried / 40, 0, tried, tried / 250, tried * 21_000);
                long others = tried * (100 - TRIAL_SHARE) / TRIAL_SHARE;
                Tally control = new Tally(others, others / 42, 0, others, others / 240, others * 21_300);
                node.tries(trialVersion, trialDigest, TRIAL_SHARE, usual, control);
            }
            node.report(clock.millis());
        }
        tried += (until - reportedSecond) / 2;
        reportedSecond = Math.max(reportedSecond, until);
    }

    /** The newest release: it refuses too many searches, and one node does not take it. */
    private void spike() {
        Answer change = open(new ShopRelease(
                Duration.ofMinutes(20),
                "wei",
                "Search: 1,200 a minute for each tenant",
                "the search cluster is at its limit in the evening",
                "{'put':" + ShopRelease.search(1_200) + "}",
                false));
        Answer rollout = as("wei").release(change, "\"all\"", "").expect(202);
        long version = rollout.number("version");
        inForce = version;
        String digest = StageNode.digest(machine, version);
        for (int i = 0; i < nodes.size(); i++) {
            if (i == BEHIND) {
                nodes.get(i)
                        .refuses(
                                version,
                                digest,
                                "rule search, limit search.tenant: sliding_window keeps 12,000,000 counts, the memory of this"
                                        + " process has room for 4,000,000 (expected: a larger heap, or mode: distributed)");
            } else {
                nodes.get(i).runs(version, digest, clock.millis() + 300 + 90L * i);
            }
        }
        report();
        stepTo(now.minus(Duration.ofMinutes(13)), MINUTE);
        Answer override = as("sam")
                .post(
                        "/api/overrides",
                        json(
                                "{'rule':'search','limit':'search.user','caller':{'hash':'" + ShopCallers.overridden()
                                        + "'},'numbers':{'rate':'50/s'},'in':'4h','reason':'case 4711: a partner runs a price check'}"))
                .expect(201);
        Answer switched = as("sam")
                .post(
                        "/api/switch",
                        json(
                                "{'rule':'coupons','to':'shadow','in':'2h','reason':'incident 312: the campaign of today'}"))
                .expect(201);
        long revision = Math.max(override.number("revision"), switched.number("revision"));
        nodes.forEach(node -> node.adjusted(revision));
    }

    /** A change on trial, one that waits, one that was rejected, and a node without its store. */
    private void trial() {
        ShopRelease cart = new ShopRelease(
                Duration.ofMinutes(12),
                "jonas",
                "Carts: 15 a second for each customer",
                "bots fill carts; customers never need more than 8 a second",
                "{'put':" + ShopRelease.cart(15) + "}",
                false);
        Answer change = open(cart);
        Answer rollout = as("jonas")
                .release(
                        change,
                        json("{'callers':'" + TRIAL_SHARE + "%','by':'user'}"),
                        json(",'verdict':{'compare':['refusals','errors'],'every':'10s','watch':'0'}"))
                .expect(202);
        trialRollout = rollout.number("id");
        trialVersion = rollout.number("version");
        trialDigest = StageNode.digest(machine, trialVersion);
        tried = 0;
        report();
        stepTo(now.minus(Duration.ofMinutes(9)), MINUTE);
        open(new ShopRelease(
                Duration.ofMinutes(9),
                "wei",
                "Payments: 3 an hour for each card",
                "fraud team, ticket FR-2210",
                "{'put':" + ShopRelease.payments(3, 15) + "}",
                true));
        Answer wrong = open(new ShopRelease(
                Duration.ofMinutes(9),
                "jonas",
                "Orders: 2 a second for each customer",
                "fewer orders from bots",
                "{'put':" + ShopRelease.orders(2) + "}",
                false));
        as("priya")
                .post(
                        "/api/changes/" + wrong.number("id") + "/reject",
                        json("{'reason':'vip customers need 50 a second; keep the override'}"))
                .expect(200);
        nodes.get(DEGRADED)
                .decides(
                        NodeReport.Mode.LOCAL,
                        NodeReport.Breaker.OPEN,
                        "redis: no answer within 20 ms from 10.4.0.17:6379 since 9 minutes");
        stepTo(now.minus(Duration.ofMinutes(2)), MINUTE);
        // The verdict needs time between two looks.
        for (int i = 0; i < 8; i++) {
            clock.pass(Duration.ofSeconds(2));
            report();
        }
        // An alert that does not fire yet.
        machine.put(
                        "/api/alerts/rules/tenant_share",
                        json("{'for':'30m','revision':0,'reason':'tenants have short peaks'}"))
                .expect(200);
        machine.post(
                        "/api/alerts/silences",
                        json("{'kind':'caller_refused','in':'8h','reason':'known scrapers, case 4688'}"))
                .expect(201);
        as("mara").post("/api/audit/verify", "{}").expect(200);
    }

    /** Goes on with the traffic of now. */
    private void live() {
        report();
        var unused = thread.scheduleWithFixedDelay(this::reportQuietly, 500, 1_000, TimeUnit.MILLISECONDS);
    }

    private void reportQuietly() {
        try {
            follow();
            report();
        } catch (RuntimeException | AssertionError e) {
            LOG.debug("the center does not answer: {}", e.getMessage());
        }
    }

    /** Lets the nodes run what was released since. The one that refused a release takes the next one. */
    private synchronized void follow() {
        Answer status = machine.get("/api/status").expect(200);
        long version = status.number("version");
        JsonNode newest =
                machine.get("/api/rollouts?limit=1").expect(200).json().get(0);
        boolean isTrial =
                List.of("trial", "holding").contains(newest.get("state").asString());
        long onTrial = isTrial ? newest.get("version").asLong() : 0;
        if (onTrial != trialVersion) {
            trialVersion = onTrial;
            trialDigest = onTrial > 0 ? StageNode.digest(machine, onTrial) : "";
            tried = 0;
            nodes.forEach(StageNode::triesNothing);
        }
        if (version != inForce) {
            inForce = version;
            nodes.forEach(node ->
                    node.runs(version, status.string("digest"), clock.millis()).accepts());
            if (!machine.get("/api/rules").expect(200).text().contains("\"limit\":1200,")) {
                traffic.calms(clock.second());
            }
        }
        long revision = status.get("adjustments").get("revision").asLong();
        nodes.forEach(node -> node.adjusted(revision));
    }

    /** From now on a rule decides so many requests in each second. It did so a minute ago: views show minutes that are over. */
    public synchronized void decides(String rule, long allowed, long refused) {
        Figures figures = new Figures(allowed, refused, 0, 0);
        traffic.add(rule, figures);
        nodes.get(0).counted(clock.second() - 60, Map.of(rule, figures));
    }

    /**
     * Stops the center and opens it again at the same address.
     *
     * @param meanwhile what happens while there is no center
     */
    public synchronized void restart(Runnable meanwhile) throws CenterStartException {
        int same = center.address().getPort();
        center.close();
        meanwhile.run();
        center = StagedCenter.open(PreparedCenter.in(data).listening("127.0.0.1", same), clock);
        machine = ApiClient.of(center);
    }

    @Override
    public void close() {
        thread.shutdownNow();
        synchronized (this) {
            center.close();
        }
    }
}
