// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/describe"
)

func TestRestartKeepsPreparedClaims(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	first, err := open(t, config).Prepare(t.Context(), newClaim("a", half0))
	g.Expect(err).NotTo(HaveOccurred())

	// A reboot empties /var/run.
	g.Expect(os.RemoveAll(config.CDIDir)).To(Succeed())
	store := open(t, config)
	g.Expect(injected(t, config)).To(HaveLen(1))
	again, err := store.Prepare(t.Context(), newClaim("a", half0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(first))
	_, err = store.Prepare(t.Context(), newClaim("b", small0))
	g.Expect(err).To(MatchError(ContainSubstring("claim default/a")))
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	g.Expect(open(t, config).prepared.Claims).To(BeEmpty())
}

func TestRestartWithAnotherModelKeepsPreparedClaims(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	claim := newClaim("a", half0)
	_, err := open(t, config).Prepare(t.Context(), claim)
	g.Expect(err).NotTo(HaveOccurred())
	before := injected(t, config)

	config.Source = Fixed(node, &describe.Inventory{})
	store := open(t, config)
	g.Expect(injected(t, config)).To(Equal(before))
	_, err = store.Prepare(t.Context(), claim)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
}

func TestRestartRemovesOnlyItsOwnOrphans(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	_, err := open(t, config).Prepare(t.Context(), newClaim("orphan", small0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.Remove(filepath.Join(config.DataDir, checkpointFile))).To(Succeed())

	other := config
	other.Driver, other.DataDir = "mig-2.example.com", t.TempDir()
	claim := newClaim("kept", small0)
	claim.Status.Allocation.Devices.Results[0].Driver = other.Driver
	_, err = open(t, other).Prepare(t.Context(), claim)
	g.Expect(err).NotTo(HaveOccurred())

	open(t, config)
	seen := injected(t, config)
	g.Expect(seen).To(HaveLen(1))
	for _, device := range seen {
		g.Expect(device.Driver).To(Equal(other.Driver))
	}
}

func TestOpenRejectsAnInvalidCheckpoint(t *testing.T) {
	for name, content := range map[string]string{
		"empty":           "",
		"truncated":       `{"version": 1, "claims": {"a": {"namespa`,
		"unknown field":   `{"version": 1, "claims": {}, "colour": "green"}`,
		"another version": `{"version": 2, "claims": {}}`,
		"without claims":  `{"version": 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			config := newConfig(t)
			path := filepath.Join(config.DataDir, checkpointFile)
			g.Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
			_, err := Open(t.Context(), config)
			g.Expect(err).To(MatchError(ContainSubstring("decode checkpoint " + path)))
		})
	}
}

func TestIncompleteCheckpointIsIgnored(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	_, err := open(t, config).Prepare(t.Context(), newClaim("a", half0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(filepath.Join(config.DataDir, checkpointFile+".tmp"), []byte(`{"vers`), 0o600)).To(Succeed())

	store := open(t, config)
	g.Expect(store.prepared.Claims).To(HaveKey(types.UID("a")))
	_, err = store.Prepare(t.Context(), newClaim("b", half4))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(open(t, config).prepared.Claims).To(HaveLen(2))
}

func TestFailedPrepareHoldsNoDevices(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	store := open(t, config)
	works := store.writeSpec
	store.writeSpec = func(types.UID, preparedClaim) error { return errors.New("disk full") }
	_, err := store.Prepare(t.Context(), newClaim("a", half0))
	g.Expect(err).To(MatchError("disk full"))

	store.writeSpec = works
	_, err = store.Prepare(t.Context(), newClaim("b", half0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(open(t, config).prepared.Claims).To(HaveLen(1))
}

func TestFailedSaveChangesNothing(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	store := open(t, config)
	works := store.save
	store.save = func(checkpoint) error { return errors.New("disk full") }
	_, err := store.Prepare(t.Context(), newClaim("a", half0))
	g.Expect(err).To(MatchError("disk full"))
	g.Expect(injected(t, config)).To(BeEmpty())

	store.save = works
	_, err = store.Prepare(t.Context(), newClaim("a", half0))
	g.Expect(err).NotTo(HaveOccurred())
	store.save = func(checkpoint) error { return errors.New("disk full") }
	g.Expect(store.Unprepare(t.Context(), "a")).To(MatchError(ContainSubstring("disk full")))
	store.save = works
	_, err = store.Prepare(t.Context(), newClaim("b", half0))
	g.Expect(err).To(MatchError(ContainSubstring("claim default/a")), "a device in use was prepared for another claim")
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
}
