// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"tags.cncf.io/container-device-interface/pkg/cdi"

	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/fakedriver/model"
)

const (
	driver = "mig.example.com"
	node   = "node-1"

	small0 = "gpu-0-mig-1g-5gb-0"
	small1 = "gpu-0-mig-1g-5gb-1"
	media0 = "gpu-0-mig-1g-5gb-me-0"
	media6 = "gpu-0-mig-1g-5gb-me-6"
	half0  = "gpu-0-mig-3g-20gb-0"
	half4  = "gpu-0-mig-3g-20gb-4"
	whole  = "gpu-0"
)

// newConfig returns the configuration of a node with one GPU and no files.
func newConfig(t *testing.T) Config {
	t.Helper()
	return newConfigFor(t, 1)
}

func newConfigFor(tb testing.TB, gpus int) Config {
	tb.Helper()
	gpu, err := model.Load("a100-40gb")
	NewWithT(tb).Expect(err).NotTo(HaveOccurred())
	return Config{
		Driver:  driver,
		Source:  Fixed(node, gpu.Inventory(node, gpus)),
		DataDir: tb.TempDir(),
		CDIDir:  filepath.Join(tb.TempDir(), "cdi"),
	}
}

func open(t *testing.T, config Config) *Store {
	t.Helper()
	store, err := Open(t.Context(), config)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return store
}

// newClaim returns a claim with one request per device. The UID of the claim is
// its name.
func newClaim(name string, devices ...string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
		Status:     resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{}},
	}
	for _, device := range devices {
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "for-" + device, Driver: driver, Pool: node, Device: device})
	}
	return claim
}

// injected returns, by CDI device ID, the devices in the environment of
// containers that get all CDI devices of the node. It reads the specs as a
// container runtime does.
func injected(t *testing.T, config Config) map[string]devenv.Device {
	t.Helper()
	g := NewWithT(t)
	cache, err := cdi.NewCache(cdi.WithSpecDirs(config.CDIDir), cdi.WithAutoRefresh(false))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(cache.GetErrors()).To(BeEmpty())
	out := map[string]devenv.Device{}
	for _, id := range cache.ListDevices() {
		devices, errs := devenv.Parse(cache.GetDevice(id).ContainerEdits.Env)
		g.Expect(errs).To(BeEmpty())
		g.Expect(devices).To(HaveLen(1))
		out[id] = devices[0]
	}
	return out
}

// files returns the content of all files of the driver, independent of the
// formatting of JSON.
func files(t *testing.T, config Config) map[string]any {
	t.Helper()
	g := NewWithT(t)
	out := map[string]any{}
	for _, dir := range []string{config.DataDir, config.CDIDir} {
		entries, err := os.ReadDir(dir)
		if os.IsNotExist(err) {
			continue
		}
		g.Expect(err).NotTo(HaveOccurred())
		for _, entry := range entries {
			if strings.HasSuffix(entry.Name(), ".tmp") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			g.Expect(err).NotTo(HaveOccurred())
			var content any
			g.Expect(json.Unmarshal(data, &content)).To(Succeed(), entry.Name())
			out[entry.Name()] = content
		}
	}
	return out
}
