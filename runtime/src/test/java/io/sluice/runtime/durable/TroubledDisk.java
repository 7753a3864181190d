package io.sluice.runtime.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A disk that hangs or is full at chosen moments. A hanging disk ignores interrupts, as the system call does, and remembers whether
 * somebody interrupted it: with a real file, that thread would hang as well.
 */
final class TroubledDisk implements DurableJournal.Disk {

    /** What a disk does next. Guarded by this. */
    enum Trouble {
        NONE,
        OPEN_HANGS,
        OPEN_FAILS,
        /** The virtual machine fails while the journal is read. */
        OPEN_FAILS_WITH_ERROR,
        WRITE_HANGS,
        FORCE_HANGS,
        /** Half of what is written fits. */
        FULL,
        /** The system fails in a way that nobody expects. */
        BREAKS,
        /** So does the virtual machine. */
        BREAKS_WITH_ERROR
    }

    private Trouble trouble = Trouble.NONE;
    private boolean waits;
    private boolean interrupted;

    synchronized void set(Trouble next) {
        trouble = next;
        notifyAll();
    }

    /** Returns whether somebody waits for the disk. */
    synchronized boolean hangs() {
        return waits;
    }

    synchronized boolean wasInterrupted() {
        return interrupted;
    }

    @Override
    public void open(Path directory) throws IOException {
        hangIf(Trouble.OPEN_HANGS);
        if (is(Trouble.OPEN_FAILS)) {
            throw new IOException("Input/output error");
        }
        if (is(Trouble.OPEN_FAILS_WITH_ERROR)) {
            throw new NoClassDefFoundError("broken");
        }
        DurableJournal.DISK.open(directory);
    }

    @Override
    public void write(FileChannel file, ByteBuffer bytes) throws IOException {
        hangIf(Trouble.WRITE_HANGS);
        if (is(Trouble.FULL)) {
            DurableJournal.DISK.write(file, bytes.slice(0, bytes.limit() / 2));
            throw new IOException("No space left on device");
        }
        if (is(Trouble.BREAKS)) {
            throw new IllegalStateException("broken");
        }
        if (is(Trouble.BREAKS_WITH_ERROR)) {
            throw new NoClassDefFoundError("broken");
        }
        DurableJournal.DISK.write(file, bytes);
    }

    @Override
    public void force(FileChannel file) throws IOException {
        hangIf(Trouble.FORCE_HANGS);
        DurableJournal.DISK.force(file);
    }

    private synchronized boolean is(Trouble what) {
        return trouble == what;
    }

    private synchronized void hangIf(Trouble when) {
        while (trouble == when) {
            waits = true;
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        waits = false;
    }
}
