// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/api/metadata"
	"k8s.io/dynamic-resource-allocation/devicemetadata"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
	"k8s.io/utils/ptr"
	"tags.cncf.io/container-device-interface/specs-go"

	"github.com/draconform/draconform/fakedriver/plugin"
)

func TestReady(t *testing.T) {
	r := start(t)
	status, body := r.readiness()
	r.g.Expect(status).To(Equal(http.StatusServiceUnavailable))
	r.g.Expect(body).To(ContainSubstring("the kubelet has not registered the plugin"))

	r.register(driver)
	r.g.Eventually(func(g Gomega) {
		status, body := r.readiness()
		g.Expect(status).To(Equal(http.StatusOK), body)
	}, "1m").Should(Succeed())
	r.g.Expect(r.slices(driver)).To(HaveLen(2))
	for _, slice := range r.slices(driver) {
		r.g.Expect(slice.OwnerReferences).To(HaveLen(1))
		r.g.Expect(slice.OwnerReferences[0].Name).To(Equal(node))
		r.g.Expect(string(slice.OwnerReferences[0].UID)).To(Equal("node-uid"))
	}

	_, err := registerapi.NewRegistrationClient(r.dial(r.registrar(driver))).
		NotifyRegistrationStatus(t.Context(), &registerapi.RegistrationStatus{Error: "no"})
	r.g.Expect(err).To(HaveOccurred())
	status, _ = r.readiness()
	r.g.Expect(status).To(Equal(http.StatusServiceUnavailable))

	r.g.Expect(r.stop()).To(Succeed())
	r.g.Expect(filepath.Join(r.config.PluginsDir, driver, "dra.sock")).NotTo(BeAnExistingFile())
	r.g.Expect(r.registrar(driver)).NotTo(BeAnExistingFile())
	r.g.Expect(r.slices(driver)).To(HaveLen(2), "a restart keeps the slices")
}

func TestKubeletCalls(t *testing.T) {
	claim := newClaim(driver, "gpu-0-mig-2g-10gb-4", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	devices, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveLen(1))
	r.g.Expect(devices[0].DeviceName).To(Equal("gpu-0-mig-2g-10gb-4"))
	r.g.Expect(devices[0].RequestNames).To(Equal([]string{"gpu"}))
	r.g.Expect(devices[0].CdiDeviceIds).To(HaveLen(2), "one for the device, one for its metadata")
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*"))).To(HaveLen(2))

	r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*"))).To(BeEmpty())
}

// Guards that an error of a claim is reported for that claim in a successful
// call.
func TestClaimError(t *testing.T) {
	claim := newClaim(driver, "gpu-9", "claim")
	r := start(t, claim)
	response, err := r.kubelet(driver).client.NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{reference(claim)}})
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(response.Claims["claim"].Error).To(ContainSubstring("this node has no device mig.example.com/node-1/gpu-9"))
}

// metadata returns the path in the container of the standard metadata file for
// the only device of a driver, and the device that the library of KEP-5304
// decodes from it.
func (r *running) metadata(driver string) (path string, device metadata.Device) {
	r.tb.Helper()
	found, err := filepath.Glob(filepath.Join(r.config.CDIDir, driver+"_metadata_*.json"))
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(found).To(HaveLen(1))
	data, err := os.ReadFile(found[0])
	r.g.Expect(err).NotTo(HaveOccurred())
	var spec specs.Spec
	r.g.Expect(json.Unmarshal(data, &spec)).To(Succeed())
	mount := spec.Devices[0].ContainerEdits.Mounts[0]

	file, err := os.Open(mount.HostPath)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.tb.Cleanup(func() { _ = file.Close() })
	var decoded metadata.DeviceMetadata
	var invalid error
	r.g.Expect(devicemetadata.DecodeMetadataFromStream(json.NewDecoder(file), &decoded, devicemetadata.DecodeMetadataWithValidationResult(&invalid))).To(Succeed())
	r.g.Expect(invalid).NotTo(HaveOccurred())
	r.g.Expect(decoded.Requests).To(HaveLen(1))
	r.g.Expect(decoded.Requests[0].Devices).To(HaveLen(1))
	return mount.ContainerPath, decoded.Requests[0].Devices[0]
}

// Guards that the standard metadata files have the paths that KEP-5304
// specifies, and that its library can read them.
func TestMetadata(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	path, device := r.metadata(driver)
	r.g.Expect(path).To(Equal("/var/run/kubernetes.io/dra-device-attributes/resourceclaims/claim/gpu/mig.example.com-metadata.json"))
	r.g.Expect(device.Name).To(Equal("gpu-0"))
	r.g.Expect(device.Attributes).To(HaveKeyWithValue(resourceapi.QualifiedName("type"), resourceapi.DeviceAttribute{StringValue: ptr.To("gpu")}))
	r.g.Expect(device.Attributes).To(HaveKeyWithValue(resourceapi.QualifiedName("index"), resourceapi.DeviceAttribute{IntValue: ptr.To[int64](0)}))
}

func TestWithoutMetadata(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	config, server := newConfig(t, claim)
	config.DeviceMetadata = false
	r := startWith(t, config, server)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices[0].CdiDeviceIds).To(HaveLen(1))
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*_metadata_*"))).To(BeEmpty())
}

// Guards that a corrupt checkpoint is replaced with the claims that the API
// server reports as reserved.
func TestCorruptCheckpoint(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod-uid"}}
	late := newClaim(driver, "gpu-0-mig-1g-5gb-0", "late")
	r := start(t, claim, late)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.stop()).To(Succeed())
	checkpoint := filepath.Join(r.config.PluginsDir, driver, "checkpoint.json")
	r.g.Expect(os.Truncate(checkpoint, 20)).To(Succeed())

	r = r.restart()
	status, err := r.Status(t.Context(), driver)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(status.Claims).To(Equal([]string{"default/claim"}))
	r.g.Expect(status.Damage).To(HaveExactElements(ContainSubstring(checkpoint + ".corrupt-1")))
	_, err = r.kubelet(driver).prepare(t.Context(), late)
	r.g.Expect(err).To(MatchError(ContainSubstring("claim default/claim")))
}

func TestRunFailsWithoutARegistry(t *testing.T) {
	g := NewWithT(t)
	config, _ := newConfig(t)
	config.RegistryDir = filepath.Join(config.RegistryDir, "missing")
	g.Expect(plugin.Run(t.Context(), config)).To(MatchError(ContainSubstring("start driver mig.example.com: create the registration socket")))
}

func TestRunFailsWithUnknownDevices(t *testing.T) {
	g := NewWithT(t)
	config, _ := newConfig(t)
	config.Published.Devices.Model = "abacus"
	g.Expect(plugin.Run(t.Context(), config)).To(MatchError(ContainSubstring(`unknown model "abacus"`)))
}
