// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/control"
)

// traces returns the names of all files of a plugin and of all slices.
func (r *running) traces() []string {
	r.tb.Helper()
	var found []string
	for _, dir := range []string{r.config.PluginsDir, r.config.RegistryDir, r.config.CDIDir} {
		err := filepath.WalkDir(filepath.Dir(dir), func(path string, _ os.DirEntry, err error) error {
			found = append(found, path)
			return err
		})
		r.g.Expect(err).NotTo(HaveOccurred())
	}
	list, err := r.server.Client.ResourceV1().ResourceSlices().List(r.tb.Context(), metav1.ListOptions{})
	r.g.Expect(err).NotTo(HaveOccurred())
	for _, slice := range list.Items {
		found = append(found, slice.Name)
	}
	return found
}

// Guards that a driver with an invalid name leaves nothing behind, neither
// before nor after a restart.
func TestBadNames(t *testing.T) {
	r := start(t)
	r.settle()
	before := r.traces()
	for _, name := range []string{"UPPER", "-x", "x-", "1x", "a_b", "a..b", ".hidden", strings.Repeat("a", 64), strings.Repeat("a", 60)} {
		_, err := r.Publish(t.Context(), name, oneGPU)
		r.g.Expect(err).To(MatchError(control.ErrInvalid), name)
		r.g.Expect(err).To(MatchError(ContainSubstring(name)))
	}
	for _, name := range []string{"%2e%2e%2foutside", "..%2foutside", "a%2fb", "%00"} {
		r.g.Expect(r.put(name)).To(HaveHTTPStatus(http.StatusBadRequest), name)
	}
	r.g.Expect(r.List(t.Context())).To(HaveLen(1))
	r.g.Expect(r.traces()).To(Equal(before))

	r = r.restart()
	r.settle()
	r.g.Expect(r.List(t.Context())).To(HaveLen(1))
	r.g.Expect(r.traces()).To(Equal(before))
}

// put sends a publish request. The name of the driver is inserted into the path
// without escaping.
func (r *running) put(escaped string) *http.Response {
	r.tb.Helper()
	request, err := http.NewRequestWithContext(r.tb.Context(), http.MethodPut, "http://"+r.config.Address+"/control/v1/drivers/"+escaped,
		strings.NewReader(`{"devices":{"description":"nics"}}`))
	r.g.Expect(err).NotTo(HaveOccurred())
	request.Header.Set(control.TokenHeader, token)
	response, err := http.DefaultClient.Do(request)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(response.Body.Close()).To(Succeed())
	return response
}

// Guards that a driver may have the name of a file of the pod's own driver.
func TestNamesOfFiles(t *testing.T) {
	for _, name := range []string{"checkpoint.json", "checkpoint.json.tmp", "published.json", "dra.sock", "dra-device-metadata", "drivers"} {
		t.Run(name, func(t *testing.T) {
			claim := newClaim(driver, "gpu-0", "claim")
			r := start(t, claim)
			_, err := r.Publish(t.Context(), name, oneGPU)
			r.g.Expect(err).NotTo(HaveOccurred())
			_, err = r.kubelet(driver).prepare(t.Context(), claim)
			r.g.Expect(err).NotTo(HaveOccurred())
			_, err = r.Publish(t.Context(), driver, twoGPUs)
			r.g.Expect(err).NotTo(HaveOccurred())

			r = r.restart()
			r.settle()
			r.g.Expect(r.List(t.Context())).To(HaveLen(2))
			r.g.Expect(r.Stop(t.Context(), name)).To(Succeed())
			r.g.Expect(r.traces()).To(ContainElement(HaveSuffix("metadata.json")), "the container of the claim reads it")
			r = r.restart()
			r.g.Expect(r.List(t.Context())).To(HaveExactElements(
				And(HaveField("Driver", driver), HaveField("Claims", []string{"default/claim"}), HaveField("Published", twoGPUs))))
		})
	}
}

// Guards that a driver whose registration fails leaves nothing behind, and can
// be started later.
func TestStartFails(t *testing.T) {
	r := start(t)
	r.settle()
	before := r.traces()
	r.g.Expect(os.Rename(r.config.RegistryDir, r.config.RegistryDir+"-gone")).To(Succeed())
	_, err := r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).To(MatchError(ContainSubstring("start driver nic.example.com: create the registration socket")))
	r.g.Expect(os.Rename(r.config.RegistryDir+"-gone", r.config.RegistryDir)).To(Succeed())
	r.g.Expect(r.List(t.Context())).To(HaveLen(1))
	r.g.Expect(r.traces()).To(Equal(before))

	_, err = r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.register(second)
}
