package io.sluice.center.sink;

import io.sluice.center.export.PlainJson;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/**
 * Sends each message in the form of RFC 5424, to the facility for audits. The text is JSON in ASCII, so that no server has to
 * guess its encoding.
 */
final class SyslogSink implements Sink {

    private static final int FACILITY = 13;
    private static final int NOTICE = 5;
    private static final int WARNING = 4;
    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_KIND = 32;

    private final SyslogWire wire;
    private final String host = host();
    private final long process = ProcessHandle.current().pid();

    SyslogSink(SyslogWire wire) {
        this.wire = wire;
    }

    static SyslogSink of(AuditSink.Syslog settings) {
        return new SyslogSink(
                settings.address().getScheme().equals("udp")
                        ? new SyslogDatagrams(settings.address())
                        : new SyslogStream(settings.address(), settings.ca()));
    }

    @Override
    public void send(List<SinkMessage> messages) throws IOException {
        wire.send(messages.stream().map(this::text).toList());
    }

    @Override
    public void disconnect() {
        wire.disconnect();
    }

    private byte[] text(SinkMessage message) {
        byte[] whole = text(message, message.json());
        return whole.length <= wire.mostBytes() ? whole : text(message, message.shortened());
    }

    private byte[] text(SinkMessage message, String json) {
        int priority = FACILITY * 8 + (message.warns() ? WARNING : NOTICE);
        String text = "<" + priority + ">1 " + Instant.ofEpochMilli(message.at()) + " " + host + " sluice-center "
                + process + " " + word(message.kind(), LONGEST_KIND) + " - " + PlainJson.ascii(json);
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String host() {
        try {
            return word(InetAddress.getLocalHost().getHostName(), LONGEST_NAME);
        } catch (UnknownHostException e) {
            return "-";
        }
    }

    /** Returns printable characters without spaces; {@code -} if nothing is left. */
    private static String word(String text, int longest) {
        String word = text.replaceAll("[^!-~]", "");
        return word.isEmpty() ? "-" : word.substring(0, Math.min(longest, word.length()));
    }
}
