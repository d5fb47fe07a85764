// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"path/filepath"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
)

// Guards that a claim that could not be stored holds nothing, and can be prepared
// when there is room on the disk.
func TestFullDisk(t *testing.T) {
	for name, full := range map[string]Disk{"checkpoint": {CheckpointFull: true}, "specs": {SpecsFull: true}} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			config := newConfig(t)
			store := open(t, config)
			_, err := store.Prepare(t.Context(), newClaim("before", small0))
			g.Expect(err).NotTo(HaveOccurred())
			store.SetDisk(full)
			_, err = store.Prepare(t.Context(), newClaim("late", half4))
			g.Expect(err).To(MatchError(syscall.ENOSPC))
			g.Expect(store.Prepared()).To(Equal([]string{"default/before"}))
			g.Expect(store.Described()).To(Equal([]string{"default/before"}))
			g.Expect(devicesOf(injected(t, config))).To(ConsistOf(small0))
			g.Expect(store.Unprepare(t.Context(), "late")).To(Succeed())

			store.SetDisk(Disk{})
			_, err = store.Prepare(t.Context(), newClaim("late", half4))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(devicesOf(injected(t, config))).To(ConsistOf(small0, half4))
		})
	}
}

// Guards that the next process knows the claims that are in use, whatever happened
// to the checkpoint, and reports what it found.
func TestDamageOfCheckpoint(t *testing.T) {
	for _, damage := range Damages() {
		t.Run(string(damage), func(t *testing.T) {
			g := NewWithT(t)
			inAPI := []resourceapi.ResourceClaim{reserved(newClaim("in-use", half0))}
			config := withClaims(newConfig(t), &inAPI)
			config.Shared = true
			store := open(t, config)
			_, err := store.Prepare(t.Context(), newClaim("in-use", half0))
			g.Expect(err).NotTo(HaveOccurred())
			before := injected(t, config)
			g.Expect(store.DamageCheckpoint(damage)).To(Succeed())
			g.Expect(store.Prepared()).To(Equal([]string{"default/in-use"}), "the process remembers it")

			store = open(t, config)
			path := filepath.Join(config.DataDir, checkpointFile)
			switch damage {
			case Older:
				g.Expect(store.Damage()).To(BeEmpty())
			case Lost:
				g.Expect(store.Damage()).To(HaveExactElements(And(ContainSubstring(path+": the file is lost"), ContainSubstring("recovered 1 claims"))))
			default:
				g.Expect(store.Damage()).To(HaveExactElements(ContainSubstring("kept as " + path + ".corrupt-1")))
			}
			g.Expect(store.Prepared()).To(Equal([]string{"default/in-use"}))
			g.Expect(injected(t, config)).To(Equal(before))
			_, err = store.Prepare(t.Context(), newClaim("late", half0))
			g.Expect(err).To(MatchError(ContainSubstring("held by claim default/in-use")))
			g.Expect(store.Unprepare(t.Context(), "in-use")).To(Succeed())
			g.Expect(open(t, config).Damage()).To(BeEmpty())
		})
	}
}

func TestUnknownDamage(t *testing.T) {
	g := NewWithT(t)
	store := open(t, newConfig(t))
	g.Expect(store.DamageCheckpoint(Lost)).To(MatchError(ContainSubstring("no such file")), "there is no checkpoint")
	_, err := store.Prepare(t.Context(), newClaim("a", half0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(store.DamageCheckpoint("Folded")).To(MatchError(ContainSubstring(`"Folded" is no kind of damage`)))
}

// Guards that a new node, and one that was restarted and has lost its CDI specs, is
// not taken for one that has lost its checkpoint.
func TestNoCheckpointIsLost(t *testing.T) {
	g := NewWithT(t)
	inAPI := []resourceapi.ResourceClaim{reserved(newClaim("in-use", half0))}
	store := open(t, withClaims(newConfig(t), &inAPI))
	g.Expect(store.Damage()).To(BeEmpty())
	g.Expect(store.Prepared()).To(BeEmpty())
}
