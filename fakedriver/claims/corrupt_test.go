// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// reserved returns the claim as reserved for a pod.
func reserved(claim *resourceapi.ResourceClaim) resourceapi.ResourceClaim {
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod-uid"}}
	return *claim
}

// withClaims makes InUse return the claims.
func withClaims(config Config, claims *[]resourceapi.ResourceClaim) Config {
	config.InUse = func(context.Context) ([]resourceapi.ResourceClaim, error) { return *claims, nil }
	return config
}

// corrupt writes an invalid checkpoint. It returns its path.
func corrupt(t *testing.T, config Config) string {
	t.Helper()
	path := filepath.Join(config.DataDir, checkpointFile)
	NewWithT(t).Expect(os.WriteFile(path, []byte(`{"version": 1, "claims": {"a": {"namespa`), 0o600)).To(Succeed())
	return path
}

func TestCorruptCheckpoint(t *testing.T) {
	g := NewWithT(t)
	elsewhere := newClaim("elsewhere", small1)
	elsewhere.Status.Allocation.Devices.Results[0].Pool = "node-2"
	other := newClaim("of-another-driver", small1)
	other.Status.Allocation.Devices.Results[0].Driver = "nic.example.com"
	pending := newClaim("pending")
	pending.Status.Allocation = nil
	inAPI := []resourceapi.ResourceClaim{
		reserved(newClaim("in-use", half0)), reserved(newClaim("unknown-device", "gone")), *newClaim("not-reserved", half4),
		reserved(elsewhere), reserved(other), reserved(pending),
	}
	config := withClaims(newConfig(t), &inAPI)
	_, err := open(t, config).Prepare(t.Context(), newClaim("in-use", half0))
	g.Expect(err).NotTo(HaveOccurred())
	path := corrupt(t, config)
	broken, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())

	store := open(t, config)
	g.Expect(store.Prepared()).To(Equal([]string{"default/in-use", "default/unknown-device"}))
	g.Expect(store.Damage()).To(HaveExactElements(And(
		ContainSubstring("decode checkpoint "+path), ContainSubstring("kept as "+path+".corrupt-1"), ContainSubstring("2 claims that are in use"))))
	g.Expect(os.ReadFile(path + ".corrupt-1")).To(Equal(broken))
	g.Expect(devicesOf(injected(t, config))).To(ConsistOf(half0, "gone"))
	_, err = store.Prepare(t.Context(), newClaim("late", small0))
	g.Expect(err).To(MatchError(ContainSubstring("claim default/in-use")), "a device in use is not prepared again")
	g.Expect(store.Partitions().Created).To(Equal(1))

	store = open(t, config)
	g.Expect(store.Damage()).To(BeEmpty(), "nothing is corrupt at the next start")
	_, err = store.Prepare(t.Context(), newClaim("in-use", half0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(store.Unprepare(t.Context(), "in-use")).To(Succeed())

	corrupt(t, config)
	open(t, config)
	g.Expect(path + ".corrupt-2").To(BeARegularFile())
	g.Expect(os.ReadFile(path + ".corrupt-1")).To(Equal(broken))
}

// Guards that a recovered claim that was never prepared does not hold its
// device permanently. The kubelet will never unprepare it.
func TestUnpreparedRecoveredClaimIsForgotten(t *testing.T) {
	g := NewWithT(t)
	inAPI := []resourceapi.ResourceClaim{reserved(newClaim("a", half0)), reserved(newClaim("b", half4))}
	config := withClaims(newConfig(t), &inAPI)
	corrupt(t, config)
	store := open(t, config)
	_, err := store.Prepare(t.Context(), newClaim("b", half4))
	g.Expect(err).NotTo(HaveOccurred(), "the kubelet prepares it again")

	_, err = store.Prepare(t.Context(), newClaim("late", half0))
	g.Expect(err).To(MatchError(ContainSubstring("held by claim default/a")))
	inAPI = nil // The pods and their claims were deleted.
	_, err = store.Prepare(t.Context(), newClaim("late", half0))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = store.Prepare(t.Context(), newClaim("later", half4))
	g.Expect(err).To(MatchError(ContainSubstring("held by claim default/b")), "the kubelet will unprepare it")
	g.Expect(devicesOf(injected(t, config))).To(ConsistOf(half0, half4))
}

// Guards that a store without InUse keeps the recovered claims of its
// checkpoint.
func TestRecoveredClaimsWithoutInUse(t *testing.T) {
	g := NewWithT(t)
	inAPI := []resourceapi.ResourceClaim{reserved(newClaim("a", half0))}
	config := newConfig(t)
	corrupt(t, config)
	open(t, withClaims(config, &inAPI))
	_, err := open(t, config).Prepare(t.Context(), newClaim("late", half0))
	g.Expect(err).To(MatchError(ContainSubstring("held by claim default/a")))
}

func TestRecoveredSharesKeepTheirValues(t *testing.T) {
	g := NewWithT(t)
	inAPI := []resourceapi.ResourceClaim{reserved(withSubnet(newShare("a", "shared", "3"), "a"))}
	config := withClaims(requiringSubnet(newNICConfig(t), true), &inAPI)
	corrupt(t, config)
	store := open(t, config)
	_, err := store.Prepare(t.Context(), withSubnet(newShare("b", "shared", "1"), "b"))
	g.Expect(err).To(MatchError(ContainSubstring(`it has "a" for key ` + subnet)))
	_, err = store.Prepare(t.Context(), withSubnet(newShare("b", "shared", "2"), "a"))
	g.Expect(err).To(MatchError(ContainSubstring("1 is left; the rest is used by claim default/a")))
}

// Guards that a driver with a corrupt checkpoint does not start while it cannot
// determine which claims are in use.
func TestCorruptCheckpointWithoutAnAPIServer(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	path := corrupt(t, config)
	config.InUse = func(context.Context) ([]resourceapi.ResourceClaim, error) { return nil, errors.New("unreachable") }
	_, err := Open(t.Context(), config)
	g.Expect(err).To(MatchError(And(ContainSubstring("decode checkpoint "+path), ContainSubstring("list the claims in use: unreachable"))))
	g.Expect(filepath.Glob(path + "*")).To(Equal([]string{path}))
}

func TestCorruptSpecs(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	_, err := open(t, config).Prepare(t.Context(), newClaim("a", small0))
	g.Expect(err).NotTo(HaveOccurred())
	specs, err := filepath.Glob(filepath.Join(config.CDIDir, "*.json"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(specs).To(HaveLen(1))
	orphan := filepath.Join(config.CDIDir, driver+"-device_orphan.json")
	directory := filepath.Join(config.CDIDir, driver+"-device_directory.json")
	foreign := filepath.Join(config.CDIDir, "other.example.com-device_x.json")
	g.Expect(os.WriteFile(specs[0], []byte(`{"cdiVer`), 0o600)).To(Succeed())
	g.Expect(os.WriteFile(orphan, []byte(`{"kind":"other.example.com/device"}`), 0o600)).To(Succeed())
	g.Expect(os.Mkdir(directory, 0o750)).To(Succeed())
	g.Expect(os.WriteFile(foreign, []byte(`{`), 0o600)).To(Succeed())

	store := open(t, config)
	g.Expect(store.Damage()).To(ConsistOf(
		And(ContainSubstring("decode CDI spec "+specs[0]), ContainSubstring("kept as "+specs[0]+".corrupt-1")),
		And(ContainSubstring("decode CDI spec "+orphan), ContainSubstring(`it is for "other.example.com/device"`), ContainSubstring(orphan+".corrupt-1")),
		And(ContainSubstring("read CDI spec"), ContainSubstring(directory+".corrupt-1")),
	))
	g.Expect(os.ReadFile(specs[0] + ".corrupt-1")).To(Equal([]byte(`{"cdiVer`)))
	g.Expect(foreign).To(BeARegularFile(), "files of other drivers are not changed")
	g.Expect(os.Remove(foreign)).To(Succeed())
	g.Expect(devicesOf(injected(t, config))).To(Equal([]string{small0}), "a container runtime ignores copies")
}

func TestCDIDirectoryIsAFile(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	_, err := open(t, config).Prepare(t.Context(), newClaim("a", small0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.RemoveAll(config.CDIDir)).To(Succeed())
	g.Expect(os.WriteFile(config.CDIDir, []byte("text"), 0o600)).To(Succeed())
	store := open(t, config)
	g.Expect(store.Damage()).To(HaveExactElements(ContainSubstring("CDI directory " + config.CDIDir + " is not a directory; kept as " + config.CDIDir + ".corrupt-1")))
	g.Expect(devicesOf(injected(t, config))).To(Equal([]string{small0}))
}

// newBusyConfig returns the configuration of a node with many prepared claims.
func newBusyConfig(tb testing.TB, claims int) Config {
	tb.Helper()
	g := NewWithT(tb)
	config := newConfigFor(tb, 8)
	store, err := Open(tb.Context(), config)
	g.Expect(err).NotTo(HaveOccurred())
	for i := range claims {
		claim := newClaim(fmt.Sprintf("claim-%d", i), small0)
		// Admin access allows more claims than the node has devices.
		claim.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
		_, err := store.Prepare(tb.Context(), claim)
		g.Expect(err).NotTo(HaveOccurred())
	}
	return config
}

func BenchmarkOpenWith200Claims(b *testing.B) {
	config := newBusyConfig(b, 200)
	for b.Loop() {
		if _, err := Open(b.Context(), config); err != nil {
			b.Fatal(err)
		}
	}
}
