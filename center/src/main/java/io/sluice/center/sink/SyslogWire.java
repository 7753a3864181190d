package io.sluice.center.sink;

import java.io.IOException;
import java.util.List;

/** The connection to a syslog server. */
interface SyslogWire {

    /** Returns the maximum length of a message. */
    int mostBytes();

    void send(List<byte[]> messages) throws IOException;

    void disconnect();
}
