// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// Guards that a damaged checkpoint is reported by its path, that a copy of it
// is kept, that the claims in use stay prepared, and that the next start
// succeeds without damage.
func TestDamagedCheckpoint(t *testing.T) {
	for name, damage := range map[string]func(whole []byte) []byte{
		"empty":                 func([]byte) []byte { return nil },
		"truncated":             func(whole []byte) []byte { return whole[:len(whole)/2] },
		"without the last byte": func(whole []byte) []byte { return whole[:len(whole)-1] },
		"zeros":                 func(whole []byte) []byte { return make([]byte, len(whole)) },
		"no JSON":               func([]byte) []byte { return []byte("\x7fELF") },
		"another kind of JSON":  func([]byte) []byte { return []byte(`["a"]`) },
		"null":                  func([]byte) []byte { return []byte("null") },
		"an older version":      replace(`"version": 1`, `"version": 0`),
		"a newer version":       replace(`"version": 1`, `"version": 2`),
		"a newer field":         replace(`"version": 1`, `"version": 1, "colour": "green"`),
		"no claims":             func([]byte) []byte { return []byte(`{"version": 1}`) },
		"a claim that is null":  func([]byte) []byte { return []byte(`{"version": 1, "claims": {"in-use": null}}`) },
		"a claim without device": func([]byte) []byte {
			return []byte(`{"version": 1, "claims": {"in-use": {"namespace": "default", "name": "in-use", "devices": []}}}`)
		},
		"a claim without name":  replace(`"name": "in-use"`, `"name": ""`),
		"a device without name": replace(`"device": "`+half0+`"`, `"device": ""`),
		"the end of another one": func(whole []byte) []byte {
			return append(bytes.Clone(whole), whole[len(whole)-20:]...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			inAPI := []resourceapi.ResourceClaim{reserved(newClaim("in-use", half0))}
			config := withClaims(newConfig(t), &inAPI)
			_, err := open(t, config).Prepare(t.Context(), newClaim("in-use", half0))
			g.Expect(err).NotTo(HaveOccurred())
			before := injected(t, config)
			path := filepath.Join(config.DataDir, checkpointFile)
			whole, err := os.ReadFile(path)
			g.Expect(err).NotTo(HaveOccurred())
			damaged := damage(whole)
			g.Expect(damaged).NotTo(Equal(whole))
			g.Expect(os.WriteFile(path, damaged, 0o600)).To(Succeed())

			store := open(t, config)
			g.Expect(store.Damage()).To(HaveExactElements(And(ContainSubstring(path+":"), ContainSubstring(path+".corrupt-1"))))
			copied, err := os.ReadFile(path + ".corrupt-1")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(copied)).To(Equal(string(damaged)))
			g.Expect(store.Prepared()).To(Equal([]string{"default/in-use"}))
			g.Expect(injected(t, config)).To(Equal(before))
			_, err = store.Prepare(t.Context(), newClaim("late", half0))
			g.Expect(err).To(MatchError(ContainSubstring("held by claim default/in-use")))

			g.Expect(open(t, config).Damage()).To(BeEmpty())
		})
	}
}

// replace returns a function that replaces text. It panics if the text does not
// occur.
func replace(before, after string) func([]byte) []byte {
	return func(whole []byte) []byte {
		if !strings.Contains(string(whole), before) {
			panic("no " + before)
		}
		return []byte(strings.ReplaceAll(string(whole), before, after))
	}
}

// Guards that a checkpoint that is truncated at any position is detected as
// corrupt.
func TestTruncatedCheckpoint(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	store := open(t, config)
	for _, device := range []string{half0, small0, whole} {
		claim := newClaim("for-"+device, device)
		claim.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
		_, err := store.Prepare(t.Context(), claim)
		g.Expect(err).NotTo(HaveOccurred())
	}
	path := filepath.Join(config.DataDir, checkpointFile)
	data, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	for length := 0; length < len(data); length += 7 {
		g.Expect(os.WriteFile(path, data[:length], 0o600)).To(Succeed())
		_, err := config.loadCheckpoint()
		g.Expect(err).To(MatchError(errCorrupt), "%d of %d bytes", length, len(data))
	}
}
