import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Signatures {
    static boolean verify(String secret, byte[] body, String header) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] expected = ("sha256=" + HexFormat.of().formatHex(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
        boolean found = false;
        for (String one : (header == null ? "" : header).split(",")) {
            found |= MessageDigest.isEqual(one.strip().getBytes(StandardCharsets.UTF_8), expected);
        }
        return found;
    }
}
