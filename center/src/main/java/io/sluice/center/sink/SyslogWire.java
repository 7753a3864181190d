package io.sluice.center.sink;

import java.io.IOException;
import java.util.List;

/** The way to a server that speaks syslog. */
interface SyslogWire {

    /** Returns how long a message may be. */
    int mostBytes();

    void send(List<byte[]> messages) throws IOException;

    void disconnect();
}
