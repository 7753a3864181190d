package io.sluice.runtime.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A disk that hangs or is full at chosen moments. A hanging disk ignores interrupts, as the system call does, and remembers whether
 * somebody interrupted it: with a real file, that thread would hang as well.
 */
final class TroubledDisk implements DurableJournal.Disk {

    /** What a disk does next. Guarded by this. */
    enum Trouble {
        NONE,
        WRITE_HANGS,
        FORCE_HANGS,
        /** Half of what is written fits. */
        FULL
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
    public void write(FileChannel file, ByteBuffer bytes) throws IOException {
        hangIf(Trouble.WRITE_HANGS);
        if (isFull()) {
            DurableJournal.DISK.write(file, bytes.slice(0, bytes.limit() / 2));
            throw new IOException("No space left on device");
        }
        DurableJournal.DISK.write(file, bytes);
    }

    @Override
    public void force(FileChannel file) throws IOException {
        hangIf(Trouble.FORCE_HANGS);
        DurableJournal.DISK.force(file);
    }

    private synchronized boolean isFull() {
        return trouble == Trouble.FULL;
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
