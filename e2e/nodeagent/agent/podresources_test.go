// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	podresourcespb "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// lister is a kubelet that lists pods.
type lister struct {
	podresourcespb.UnimplementedPodResourcesListerServer
	pods []*podresourcespb.PodResources
}

func (l lister) List(context.Context, *podresourcespb.ListPodResourcesRequest) (*podresourcespb.ListPodResourcesResponse, error) {
	return &podresourcespb.ListPodResourcesResponse{PodResources: l.pods}, nil
}

func (l lister) Get(_ context.Context, of *podresourcespb.GetPodResourcesRequest) (*podresourcespb.GetPodResourcesResponse, error) {
	for _, pod := range l.pods {
		if pod.Namespace == of.PodNamespace && pod.Name == of.PodName {
			return &podresourcespb.GetPodResourcesResponse{PodResources: pod}, nil
		}
	}
	return nil, fmt.Errorf("pod %s in namespace %s not found", of.PodName, of.PodNamespace)
}

// serveList serves the PodResources API where the kubelet does.
func (n *node) serveList(pods ...*podresourcespb.PodResources) {
	n.t.Helper()
	n.Expect(os.Mkdir(n.path("pod-resources"), 0o755)).To(Succeed())
	listener, err := (&net.ListenConfig{}).Listen(n.t.Context(), "unix", n.path("pod-resources", "kubelet.sock"))
	n.Expect(err).NotTo(HaveOccurred())
	server := grpc.NewServer()
	podresourcespb.RegisterPodResourcesListerServer(server, lister{pods: pods})
	go func() { _ = server.Serve(listener) }()
	n.t.Cleanup(server.Stop)
}

func TestPodResources(t *testing.T) {
	n := newNode(t)
	n.serveList(
		&podresourcespb.PodResources{Namespace: "other", Name: "pod"},
		&podresourcespb.PodResources{Namespace: "default", Name: "pod", Containers: []*podresourcespb.ContainerResources{
			{Name: "user", DynamicResources: []*podresourcespb.DynamicResource{{ClaimNamespace: "default", ClaimName: "claim", ClaimResources: []*podresourcespb.ClaimResource{
				{DriverName: driver, PoolName: "pool", DeviceName: "a", CdiDevices: []*podresourcespb.CDIDevice{{Name: "example.com/gpu=a"}, {Name: "example.com/gpu=all"}}},
				{DriverName: driver, PoolName: "pool", DeviceName: "b", ShareId: ptr.To("share")},
			}}}},
			{Name: "idle"},
		}},
	)
	want := api.PodResources{
		Listed: true,
		Containers: []api.ContainerResources{
			{Name: "user", Claims: []api.ClaimResources{{Namespace: "default", Name: "claim", Devices: []api.DriverDevice{
				{Driver: driver, Device: api.Device{Pool: "pool", Device: "a", CDIDevices: []string{"example.com/gpu=a", "example.com/gpu=all"}}},
				{Driver: driver, Device: api.Device{Pool: "pool", Device: "b", ShareID: "share"}},
			}}}},
			{Name: "idle"},
		},
	}
	n.Expect(get[api.PodResources](n, api.PathPodResources, api.PodRequest{Namespace: "default", Name: "pod"})).To(Equal(want))
	n.Expect(get[api.PodResources](n, api.PathPodResources, api.PodRequest{Namespace: "default", Name: "pod", Get: true})).To(Equal(want))
	status, why := n.refused(api.PathPodResources, api.PodRequest{Namespace: "default", Name: "gone", Get: true})
	n.Expect(status).To(Equal(http.StatusInternalServerError))
	n.Expect(why).To(And(ContainSubstring("call Get of the PodResources API"), ContainSubstring("pod gone in namespace default not found")))
	n.Expect(get[api.PodResources](n, api.PathPodResources, api.PodRequest{Namespace: "default", Name: "gone"})).To(Equal(api.PodResources{}))
}

func TestPodResourcesThatCannotBeRead(t *testing.T) {
	n := newNode(t)
	status, why := n.refused(api.PathPodResources, api.PodRequest{Name: "pod"})
	n.Expect(status).To(Equal(http.StatusBadRequest))
	n.Expect(why).To(ContainSubstring("namespace and name of the pod are required"))
	status, why = n.refused(api.PathPodResources, api.PodRequest{Namespace: "default", Name: "pod"})
	n.Expect(status).To(Equal(http.StatusInternalServerError))
	n.Expect(why).To(ContainSubstring("pod-resources/kubelet.sock"))
}
