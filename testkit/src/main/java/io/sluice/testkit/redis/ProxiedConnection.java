package io.sluice.testkit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One connection through a {@link FaultProxy}. Each direction has a reading and a writing thread with a {@link DelayLine} between them. The
 * proxy's own answers wait for the server's answers to earlier commands.
 */
final class ProxiedConnection {

    /** Commands that are answered only by messages, at least in RESP3. */
    private static final Set<String> UNANSWERED =
            Set.of("SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE");

    private static final byte[] OF_THE_SERVER = new byte[0];
    private static final int CHUNK = 16 * 1024;

    private final FaultProxy proxy;
    private final Socket client;
    private final Socket server;
    private final DelayLine there = new DelayLine();
    private final DelayLine back = new DelayLine();
    private final Object order = new Object();
    private final ArrayDeque<byte[]> owed = new ArrayDeque<>();
    private final ReplyStream replies = new ReplyStream();
    private final CommandStream commands = new CommandStream(new Order());
    private final Object holding = new Object();
    private final List<Thread> threads;
    private volatile int sentWords;
    private int ends;

    /** True while the connection is held back. Guarded by {@link #holding}. */
    private boolean isHeld;

    ProxiedConnection(FaultProxy proxy, Socket client, Socket server) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        this.threads = List.of(
                thread("reads-client", () -> read(client, there, this::toServer)),
                thread("writes-server", () -> write(there, server, true)),
                thread("reads-server", () -> read(server, back, this::toClient)),
                thread("writes-client", () -> write(back, client, false)));
    }

    /** Starts and returns the threads of this connection. They end with it. */
    List<Thread> start() {
        threads.forEach(Thread::start);
        return threads;
    }

    boolean isHeld() {
        synchronized (holding) {
            return isHeld;
        }
    }

    /** Delivers the bytes that were held back. */
    void release() {
        synchronized (holding) {
            isHeld = false;
            holding.notifyAll();
        }
    }

    private void hold() {
        synchronized (holding) {
            isHeld = true;
        }
    }

    private void awaitRelease() throws InterruptedException {
        synchronized (holding) {
            while (isHeld) {
                holding.wait();
            }
        }
    }

    /** Resets both sides. */
    void cut() {
        release();
        there.close();
        back.close();
        FaultProxy.reset(client);
        FaultProxy.reset(server);
        proxy.forget(this);
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private interface Forward {
        void accept(byte[] bytes, int length) throws InterruptedException;
    }

    private Thread thread(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException | InterruptedException e) {
                        cut();
                    }
                },
                proxy.threadName() + "-" + name);
        thread.setDaemon(true);
        return thread;
    }

    private static void read(Socket from, DelayLine line, Forward forward) throws IOException, InterruptedException {
        InputStream in = from.getInputStream();
        byte[] bytes = new byte[CHUNK];
        try {
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                forward.accept(bytes, count);
            }
        } catch (IOException reset) {
            // Deliver the bytes that are still in transit, and then the end of the stream.
        }
        line.put(DelayLine.END, 0);
    }

    private void write(DelayLine line, Socket to, boolean toServer) throws IOException, InterruptedException {
        boolean lost = false;
        while (true) {
            byte[] bytes = line.take();
            if (toServer) {
                awaitRelease();
            }
            // A TCP stream has no holes: after a loss, nothing more is delivered.
            lost = lost || proxy.loses(toServer);
            if (bytes == DelayLine.END) {
                if (!lost) {
                    end(to);
                }
                return;
            }
            if (!lost) {
                // Count first, so that a client that has its answer finds it counted.
                proxy.count(toServer, bytes.length);
                to.getOutputStream().write(bytes);
            }
        }
    }

    private void end(Socket to) throws IOException {
        if (!to.isClosed()) {
            to.shutdownOutput();
        }
        synchronized (order) {
            ends++;
            if (ends < 2) {
                return;
            }
        }
        client.close();
        server.close();
        proxy.forget(this);
    }

    private void toServer(byte[] bytes, int length) throws InterruptedException {
        if (!proxy.isRedis()) {
            byte[] all = Arrays.copyOf(bytes, length);
            sentWords = proxy.sent(sentWords, all);
            there.put(all, proxy.delayNanos(true));
            return;
        }
        byte[] passed;
        synchronized (order) {
            passed = commands.feed(bytes, length);
        }
        if (passed.length > 0) {
            there.put(passed, proxy.delayNanos(true));
        }
    }

    /**
     * Sends bytes to the client. Holds the lock for all of the bytes, so that no answer of the proxy overtakes bytes that are counted but
     * not yet sent.
     */
    private void toClient(byte[] bytes, int length) throws InterruptedException {
        if (!proxy.isRedis()) {
            if (proxy.severs(sentWords)) {
                cut();
            } else {
                back.put(Arrays.copyOf(bytes, length), proxy.delayNanos(false));
            }
            return;
        }
        synchronized (order) {
            int sent = 0;
            for (int at = 0; at < length; ) {
                at = replies.advance(bytes, at, length);
                if (!replies.inside()) {
                    if (!replies.push()) {
                        owed.poll();
                    }
                    if (!owed.isEmpty() && owed.peek() != OF_THE_SERVER) {
                        send(bytes, sent, at);
                        sent = at;
                        sendOwn();
                    }
                }
            }
            send(bytes, sent, length);
        }
    }

    private void send(byte[] bytes, int from, int to) throws InterruptedException {
        if (to > from) {
            back.put(Arrays.copyOfRange(bytes, from, to), proxy.delayNanos(false));
        }
    }

    private void sendOwn() throws InterruptedException {
        while (!owed.isEmpty() && owed.peek() != OF_THE_SERVER) {
            back.put(owed.remove(), proxy.delayNanos(false));
        }
    }

    private final class Order implements CommandStream.Judge {

        private byte @Nullable [] own;

        @Override
        public boolean passes(String name) {
            if (proxy.holds(name)) {
                hold();
            }
            own = proxy.answerTo(name);
            if (own == null && !UNANSWERED.contains(name)) {
                owed.add(OF_THE_SERVER);
            }
            return own == null;
        }

        @Override
        public void swallowed() throws InterruptedException {
            if (own == null) {
                return;
            }
            if (owed.isEmpty() && !replies.inside()) {
                back.put(own, proxy.delayNanos(true) + proxy.delayNanos(false));
            } else {
                owed.add(own);
            }
        }
    }
}
