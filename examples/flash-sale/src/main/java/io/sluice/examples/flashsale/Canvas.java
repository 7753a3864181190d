package io.sluice.examples.flashsale;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** A picture of rectangles and {@linkplain PixelFont letters}. Needs neither a display nor fonts. */
final class Canvas {

    private static final int SCALE = 2;
    private static final int STEP = (PixelFont.WIDTH + 1) * SCALE;

    private final BufferedImage image;

    Canvas(int width, int height, int background) {
        this.image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        fill(0, 0, width, height, background);
    }

    void fill(int left, int top, int width, int height, int color) {
        for (int y = Math.max(0, top); y < Math.min(image.getHeight(), top + height); y++) {
            for (int x = Math.max(0, left); x < Math.min(image.getWidth(), left + width); x++) {
                image.setRGB(x, y, color);
            }
        }
    }

    /** Draws a dashed line. */
    void dashes(int left, int top, int width, int color) {
        for (int x = left; x < left + width; x += 12) {
            fill(x, top, Math.min(7, left + width - x), 2, color);
        }
    }

    static int width(String text) {
        return text.length() * STEP - SCALE;
    }

    /** @param top the top of the letters */
    void text(int left, int top, String text, int color) {
        for (int i = 0; i < text.length(); i++) {
            for (int y = 0; y < PixelFont.HEIGHT; y++) {
                for (int x = 0; x < PixelFont.WIDTH; x++) {
                    if (PixelFont.isSet(text.charAt(i), x, y)) {
                        fill(left + i * STEP + x * SCALE, top + y * SCALE, SCALE, SCALE, color);
                    }
                }
            }
        }
    }

    /** Draws text that ends at the given position. */
    void textBefore(int right, int top, String text, int color) {
        text(right - width(text), top, text, color);
    }

    void write(Path file) {
        try {
            // Without cache files: the temporary directory may belong to another user.
            ImageIO.setUseCache(false);
            try (var out = Files.newOutputStream(file)) {
                ImageIO.write(image, "png", out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(file + ": cannot be written", e);
        }
    }
}
