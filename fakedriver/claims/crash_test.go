// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// crash simulates kill -9: the process does nothing after it.
type crash struct{}

// crashAt runs the operation and simulates a crash before or after the n-th
// step that changes files. It returns whether the store reached that step.
func crashAt(store *Store, n int, after bool, run func()) (crashed bool) {
	step := 0
	around := func(do func() error) error {
		step++
		if step == n && !after {
			panic(crash{})
		}
		err := do()
		if step == n {
			panic(crash{})
		}
		return err
	}
	save, write, remove := store.save, store.writeSpec, store.removeSpec
	store.save = func(c checkpoint) error { return around(func() error { return save(c) }) }
	store.writeSpec = func(uid types.UID, c preparedClaim) error { return around(func() error { return write(uid, c) }) }
	store.removeSpec = func(uid types.UID) error { return around(func() error { return remove(uid) }) }
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(crash); !ours {
				panic(r)
			}
			crashed = true
		}
	}()
	run()
	return false
}

// crashCase contains claims for one kind of device. The process crashes while
// it handles claim. next needs the same device as claim. The bystander
// conflicts with neither of them.
type crashCase struct {
	config                 Config
	bystander, claim, next *resourceapi.ResourceClaim
}

func crashCases(t *testing.T) map[string]crashCase {
	t.Helper()
	return map[string]crashCase{
		"partitions": {newConfig(t), newClaim("bystander", half4), newClaim("a", half0), newClaim("next", half0)},
		"shares":     {newNICConfig(t), newShare("bystander", "shared", "1"), newShare("a", "shared", "3"), newShare("next", "shared", "3")},
		"parts of a host": {
			newSplitConfig(t), inPool("split", newClaim("bystander", "tpu-1x1-0-0")), inPool("split", newClaim("a", "tpu-1x2-1-0")), inPool("split", newClaim("next", "tpu-1x1-1-1")),
		},
	}
}

// Guards that, after a crash between any two steps, the restarted driver knows
// every claim that a container may use, has specs for exactly these claims, and
// completes or undoes the interrupted operation.
func TestCrashBetweenSteps(t *testing.T) {
	for kind := range crashCases(t) {
		for _, operation := range []string{"prepare", "unprepare"} {
			t.Run(operation+" "+kind, func(t *testing.T) {
				steps := 0
				for n := 1; ; n++ {
					var crashed bool
					for _, after := range []bool{false, true} {
						crashed = crashOnce(t, crashCases(t)[kind], operation, n, after)
					}
					if !crashed {
						break
					}
					steps++
				}
				NewWithT(t).Expect(steps).To(Equal(2), "the checkpoint and a spec are changed")
			})
		}
	}
}

func crashOnce(t *testing.T, c crashCase, operation string, n int, after bool) bool {
	t.Helper()
	g := NewWithT(t)
	store := open(t, c.config)
	_, err := store.Prepare(t.Context(), c.bystander)
	g.Expect(err).NotTo(HaveOccurred())
	if operation == "unprepare" {
		_, err := store.Prepare(t.Context(), c.claim)
		g.Expect(err).NotTo(HaveOccurred())
	}

	crashed := crashAt(store, n, after, func() {
		if operation == "unprepare" {
			g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
			return
		}
		_, err := store.Prepare(t.Context(), c.claim)
		g.Expect(err).NotTo(HaveOccurred())
	})

	restarted := open(t, c.config)
	g.Expect(injected(t, c.config)).To(HaveLen(len(restarted.prepared.Claims)), "step %d: specs and checkpoint differ", n)
	g.Expect(restarted.prepared.Claims).To(HaveKey(types.UID("bystander")))
	if operation == "prepare" {
		_, err := restarted.Prepare(t.Context(), c.claim)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(injected(t, c.config)).To(HaveLen(2))
		_, err = restarted.Prepare(t.Context(), c.next)
		g.Expect(err).To(HaveOccurred(), "the device was prepared twice")
	}
	g.Expect(restarted.Unprepare(t.Context(), "a")).To(Succeed())
	g.Expect(injected(t, c.config)).To(HaveLen(1))
	_, err = restarted.Prepare(t.Context(), c.next)
	g.Expect(err).NotTo(HaveOccurred())
	return crashed
}
