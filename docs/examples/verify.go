package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

func VerifySignature(secret string, body []byte, header string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := []byte("sha256=" + hex.EncodeToString(mac.Sum(nil)))
	for _, one := range strings.Split(header, ",") {
		if hmac.Equal([]byte(strings.TrimSpace(one)), expected) {
			return true
		}
	}
	return false
}
