// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/fakedriver/topology"
)

// split is a topology with slices that divide a host, that equal a host, and
// that span hosts.
const split = `{name: split, grid: 4x4, hosts: {chips: 2x2, label: host}, slices: [{shape: 1x1}, {shape: 1x2}, {shape: 2x2, step: 1x1}, {shape: 4x4}]}`

// onHost returns the source of a node that is a host of a topology. The names
// of the nodes are derived from the numbers of the hosts.
func onHost(tb testing.TB, described string, number int) Source {
	tb.Helper()
	resolved, err := topology.Resolve(described)
	NewWithT(tb).Expect(err).NotTo(HaveOccurred())
	host := resolved.Host(number)
	devices := Devices{Pool: resolved.Name(), Inventory: host.Inventory, Parts: map[string]devenv.Part{}, Rejected: map[string]string{}}
	for name, part := range host.Parts {
		var hosts []string
		for _, spanned := range part.Hosts {
			hosts = append(hosts, resolved.Hosts()[spanned])
		}
		devices.Parts[name] = devenv.Part{Shape: part.Shape, Hosts: hosts, Host: slices.Index(part.Hosts, number), Chips: part.Chips}
	}
	for name := range host.Elsewhere {
		devices.Rejected[name] = "it is on other hosts"
	}
	return func(context.Context) (Devices, error) { return devices, nil }
}

// newPartConfig returns the configuration of the node that is host 1 of the
// topology 4x4.
func newPartConfig(tb testing.TB) Config {
	tb.Helper()
	return Config{Driver: driver, Source: onHost(tb, "4x4", 1), DataDir: tb.TempDir(), CDIDir: filepath.Join(tb.TempDir(), "cdi")}
}

// newSplitConfig returns the configuration of host 0 of a topology whose slices
// divide hosts.
func newSplitConfig(tb testing.TB) Config {
	tb.Helper()
	config := newPartConfig(tb)
	config.Source = onHost(tb, split, 0)
	return config
}

// inPool sets the pool of all devices of a claim.
func inPool(pool string, claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	for i := range claim.Status.Allocation.Devices.Results {
		claim.Status.Allocation.Devices.Results[i].Pool = pool
	}
	return claim
}

const (
	here      = "tpu-2x2-0-2"
	row       = "tpu-2x4-0-0"
	all       = "tpu-4x4-0-0"
	elsewhere = "tpu-2x2-2-2"
)

func TestPart(t *testing.T) {
	g := NewWithT(t)
	config := newPartConfig(t)
	claim := inPool("4x4", newClaim("a", row))
	devices, err := open(t, config).Prepare(t.Context(), claim)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(devices[0].PoolName).To(Equal("4x4"))
	g.Expect(devices[0].Metadata.Attributes).To(HaveKey("shape"))

	want := devenv.Part{Shape: "2x4", Hosts: []string{"0", "1"}, Host: 1, Chips: []string{"0,2", "0,3", "1,2", "1,3"}}
	seen := injected(t, config)[devices[0].CDIDeviceIDs[0]]
	g.Expect(seen.Part).To(HaveValue(Equal(want)))
	g.Expect(seen.Attributes).To(And(HaveKeyWithValue("hosts", "2"), HaveKeyWithValue("chips", "8"), HaveKeyWithValue("topology", "4x4")))

	// The node may become another host, or no host. Prepared claims are kept.
	config.Source = func(context.Context) (Devices, error) { return Devices{}, errors.New("this is not a host") }
	store := open(t, config)
	again, err := store.Prepare(t.Context(), claim)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(devices))
	g.Expect(injected(t, config)[devices[0].CDIDeviceIDs[0]]).To(Equal(seen))
	_, err = store.Prepare(t.Context(), inPool("4x4", newClaim("b", here)))
	g.Expect(err).To(MatchError("prepare claim default/b: this is not a host"))
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	g.Expect(injected(t, config)).To(BeEmpty())
}

func TestPartsAreRejected(t *testing.T) {
	for _, test := range []struct {
		name, pool, device, message string
	}{
		{"chips that are in use", "4x4", here, "device " + here + " needs 1 of counter tpu-at-0-2 in counter set host-1, 0 is left; the rest is used by device " + row + " of claim default/holder"},
		{"the same device", "4x4", row, "device " + row + " is held by claim default/holder"},
		{"a device of other hosts", "4x4", elsewhere, "request for-" + elsewhere + ": device " + elsewhere + ": it is on other hosts"},
		{"a device that does not exist", "4x4", "tpu-3x3-0-0", "this node has no device mig.example.com/4x4/tpu-3x3-0-0"},
		{"another pool", node, here, "this node has no device mig.example.com/" + node + "/" + here},
		{"another pool's name for a device of other hosts", node, elsewhere, "this node has no device mig.example.com/" + node + "/" + elsewhere},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			config := newPartConfig(t)
			store := open(t, config)
			_, err := store.Prepare(t.Context(), inPool("4x4", newClaim("holder", row)))
			g.Expect(err).NotTo(HaveOccurred())
			before := files(t, config)
			_, err = store.Prepare(t.Context(), inPool(test.pool, newClaim("late", test.device)))
			g.Expect(err).To(MatchError(And(ContainSubstring("prepare claim default/late"), ContainSubstring(test.message))))
			g.Expect(files(t, config)).To(Equal(before), "no files are changed")
		})
	}
}

// Guards that, without a checkpoint, claims in use on other hosts do not count
// as prepared, and that claims of this host keep their part.
func TestRecoveredParts(t *testing.T) {
	g := NewWithT(t)
	inAPI := []resourceapi.ResourceClaim{
		reserved(inPool("4x4", newClaim("row", row))), reserved(inPool("4x4", newClaim("elsewhere", elsewhere))), reserved(newClaim("other-pool", row)),
	}
	config := withClaims(newPartConfig(t), &inAPI)
	_, err := open(t, config).Prepare(t.Context(), inPool("4x4", newClaim("row", row)))
	g.Expect(err).NotTo(HaveOccurred())
	before := injected(t, config)
	corrupt(t, config)

	store := open(t, config)
	g.Expect(store.Prepared()).To(Equal([]string{"default/row"}))
	g.Expect(injected(t, config)).To(Equal(before))
	_, err = store.Prepare(t.Context(), inPool("4x4", newClaim("late", all)))
	g.Expect(err).To(MatchError(ContainSubstring("the rest is used by device " + row + " of claim default/row")))

	corrupt(t, config)
	config.Source = func(context.Context) (Devices, error) { return Devices{}, errors.New("this is not a host") }
	_, err = Open(t.Context(), config)
	g.Expect(err).To(MatchError(ContainSubstring("this is not a host")), "a claim in use is kept")
}

// holder is the expected state of a prepared claim in the property test.
type holder struct {
	device string
	chips  []string
}

// Guards, for all sequences of calls and restarts, that a claim gets its part
// if and only if it is on this host and no other claim holds any of its chips,
// and that containers see exactly the devices of prepared claims.
func TestChipsArePreparedOnce(t *testing.T) {
	resolved, err := topology.Resolve(split)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	rapid.Check(t, func(r *rapid.T) {
		g := NewWithT(r)
		number := rapid.IntRange(0, 3).Draw(r, "host")
		config := newPartConfig(t)
		config.Source = onHost(t, split, number)
		parts := resolved.Host(number).Parts
		store := open(t, config)
		held := map[string]holder{}
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			name := fmt.Sprintf("claim-%d", rapid.IntRange(0, 4).Draw(r, "claim"))
			release := rapid.Bool().Draw(r, "release")
			device := rapid.SampledFrom(resolved.Devices()).Draw(r, "device")
			if before, ok := held[name]; ok {
				device = before.device
			}
			act := func() error {
				if release {
					return store.Unprepare(t.Context(), types.UID(name))
				}
				_, err := store.Prepare(t.Context(), inPool("split", newClaim(name, device)))
				return err
			}
			want := parts[device].Chips
			taken := slices.ContainsFunc(slices.Collect(maps.Keys(held)), func(other string) bool {
				return other != name && slices.ContainsFunc(held[other].chips, func(chip string) bool { return slices.Contains(want, chip) })
			})
			if rapid.Bool().Draw(r, "kill") {
				step, after := rapid.IntRange(1, 2).Draw(r, "at"), rapid.Bool().Draw(r, "after")
				crashAt(store, step, after, func() { _ = act() })
				store = open(t, config)
			}
			err := act()
			switch {
			case release:
				g.Expect(err).NotTo(HaveOccurred())
				delete(held, name)
			case len(want) == 0 || taken:
				g.Expect(err).To(HaveOccurred(), "%s for %s with %v", device, name, held)
			default:
				g.Expect(err).NotTo(HaveOccurred(), "%s for %s with %v", device, name, held)
				held[name] = holder{device, want}
			}
			seen := map[string]holder{}
			for _, device := range injected(t, config) {
				seen[device.ClaimName] = holder{device.Device, device.Part.Chips}
			}
			g.Expect(seen).To(Equal(held))
		}
	})
}
