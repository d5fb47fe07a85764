// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/internal/fault"
)

// turnOnFault turns a fault on until the end of a test.
func turnOnFault(t *testing.T, fault *bool) {
	t.Helper()
	*fault = true
	t.Cleanup(func() { *fault = false })
}

func TestWrongDriverIgnoresOlderUnprepare(t *testing.T) {
	older := &drapbv1beta1.NodeUnprepareResourcesRequest{Claims: []*drapbv1beta1.Claim{{Uid: "a"}}}
	for name, test := range map[string]struct {
		on       bool
		request  any
		isCalled bool
	}{
		"none":        {false, older, true},
		"older":       {true, older, false},
		"newer":       {true, &drapb.NodeUnprepareResourcesRequest{}, true},
		"older, else": {true, &drapbv1beta1.NodePrepareResourcesRequest{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			if test.on {
				turnOnFault(t, &fault.IgnoresOlderUnprepare)
			}
			isCalled := false
			answer, err := ignoreOlderUnprepare(t.Context(), test.request, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) {
				isCalled = true
				return nil, nil
			})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(isCalled).To(Equal(test.isCalled))
			if !isCalled {
				g.Expect(answer).To(HaveField("Claims", HaveKeyWithValue("a", HaveField("Error", ""))))
			}
		})
	}
}

func TestWrongDriversMisdescribeDevices(t *testing.T) {
	const described = `{"metadata":{"name":"pod-generated-x"},"podClaimName":"generated","requests":[{"devices":[{"name":"a"},{"name":"b"}],"name":"two"}]}` + "\n"
	for name, test := range map[string]struct {
		fault *bool
		want  string
	}{
		"first device only": {&fault.DescribesFirstDeviceOnly, `{"metadata":{"name":"pod-generated-x"},"podClaimName":"generated","requests":[{"devices":[{"name":"a"}],"name":"two"}]}` + "\n"},
		"by pod name":       {&fault.DescribesClaimsByPodName, `{"metadata":{"name":"generated"},"podClaimName":"generated","requests":[{"devices":[{"name":"a"},{"name":"b"}],"name":"two"}]}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(misdescribing()).To(BeNil())
			turnOnFault(t, test.fault)
			dir := t.TempDir()
			for file, want := range map[string]string{"metadata.json": test.want + test.want, "spec.json": described + described} {
				g.Expect(misdescribing()(filepath.Join(dir, file), []byte(described+described), 0o600)).To(Succeed())
				written, err := os.ReadFile(filepath.Join(dir, file))
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(string(written)).To(Equal(want))
			}
		})
	}
}

func TestWrongDriversMisreportHealthOfDevices(t *testing.T) {
	for name, test := range map[string]struct {
		fault *bool
		want  []string
	}{
		"none":        {new(bool), []string{"a Unhealthy", "b Unhealthy", "c Healthy"}},
		"first":       {&fault.ReportsFirstUnhealthyOnly, []string{"a Unhealthy", "b Healthy", "c Healthy"}},
		"not watched": {&fault.ReportsNoHealthOfShares, []string{"a Unhealthy", "b Unhealthy"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			turnOnFault(t, test.fault)
			var unwatched []string
			if fault.ReportsNoHealthOfShares {
				unwatched = []string{"c"}
			}
			h := newHealth("pool", []string{"a", "b", "c"}, unwatched...)
			g.Expect(h.set(control.Health{"a": {Status: "Unhealthy"}, "b": {Status: "Unhealthy"}})).To(Succeed())
			report, _ := h.report()
			var got []string
			for _, device := range report.Devices {
				got = append(got, device.DeviceName+" "+string(device.Health))
			}
			g.Expect(got).To(Equal(test.want))
		})
	}
}
