// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	healthpb "k8s.io/kubelet/pkg/apis/dra-health/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// broken returns a configuration with a fault.
func broken(t *testing.T, fault string) *config {
	t.Helper()
	c := &config{driver: "driver.example.com", node: "node", device: "device-", metadata: true, dataDir: t.TempDir(), client: fake.NewClientset()}
	NewWithT(t).Expect(c.add(fault)).To(Succeed())
	return c
}

// right is the correct handler of calls. It rejects claims that are not
// allocated, deleted or replaced, by their names.
func right(ctx context.Context, request any) (any, error) {
	if ctx.Err() != nil {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	switch claims := request.(type) {
	case *drapb.NodePrepareResourcesRequest:
		response := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
		for _, claim := range claims.Claims {
			if why, ok := rejected[claim.Name]; ok {
				return nil, fmt.Errorf("get resource claims: %s", why)
			}
			response.Claims[claim.Uid] = prepared(claim.Name)
		}
		return response, nil
	case *drapb.NodeUnprepareResourcesRequest:
		response := &drapb.NodeUnprepareResourcesResponse{Claims: map[string]*drapb.NodeUnprepareResourceResponse{}}
		for _, claim := range claims.Claims {
			response.Claims[claim.Uid] = &drapb.NodeUnprepareResourceResponse{}
		}
		return response, nil
	case *registerapi.InfoRequest:
		return &registerapi.PluginInfo{Name: "driver.example.com", SupportedVersions: []string{"v1.DRAPlugin"}}, nil
	}
	return nil, fmt.Errorf("unexpected request %T", request)
}

// The reasons are those of the library for plugins.
var rejected = map[string]string{
	"unallocated": "claim default/unallocated not allocated", "deleted": "retrieve claim default/deleted: the server could not find the requested resource (get resourceclaims.resource.k8s.io deleted)",
	"replaced": "claim default/replaced got replaced",
}

func prepared(claim string) *drapb.NodePrepareResourceResponse {
	var devices []*drapb.Device
	for _, request := range []string{"a", "b"} {
		devices = append(devices, &drapb.Device{RequestNames: []string{request}, PoolName: "node", DeviceName: claim + "-" + request, CdiDeviceIds: []string{"x=" + claim + request, "y=" + claim + request}})
	}
	return &drapb.NodePrepareResourceResponse{Devices: devices}
}

// call calls the plugin as the kubelet does.
func (c *config) call(ctx context.Context, method string, request any) (any, error) {
	return c.calls[0](ctx, request, &grpc.UnaryServerInfo{FullMethod: method}, right)
}

func claims(names ...string) []*drapb.Claim {
	var all []*drapb.Claim
	for _, name := range names {
		all = append(all, &drapb.Claim{Namespace: "default", Name: name, Uid: "uid-" + name})
	}
	return all
}

func (c *config) prepare(ctx context.Context, names ...string) (map[string]*drapb.NodePrepareResourceResponse, error) {
	response, err := c.call(ctx, "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources", &drapb.NodePrepareResourcesRequest{Claims: claims(names...)})
	if err != nil {
		return nil, err
	}
	return response.(*drapb.NodePrepareResourcesResponse).Claims, nil
}

func TestFaultsOfPrepare(t *testing.T) {
	// Each case returns whether the driver misbehaves.
	for fault, misbehaves := range map[string]func(*config) bool{
		"answers-only-first-claim": func(c *config) bool {
			got, err := c.prepare(t.Context(), "one", "two")
			return err == nil && got["uid-one"] != nil && got["uid-two"] == nil
		},
		"fails-again-after-failure": func(c *config) bool {
			_, before := c.prepare(t.Context(), "one")
			_, _ = c.prepare(t.Context(), "unallocated")
			_, after := c.prepare(t.Context(), "one")
			return before == nil && after != nil
		},
		"stays-busy-after-cancel": func(c *config) bool {
			_, before := c.prepare(t.Context(), "one")
			canceled, cancel := context.WithCancel(t.Context())
			cancel()
			_, _ = c.prepare(canceled, "one")
			_, after := c.prepare(t.Context(), "one")
			return before == nil && status.Code(after) == codes.Aborted
		},
		"prepares-unallocated-claims":   func(c *config) bool { return c.preparesOnly("unallocated") },
		"prepares-deleted-claims":       func(c *config) bool { return c.preparesOnly("deleted") },
		"prepares-claims-of-other-uids": func(c *config) bool { return c.preparesOnly("replaced") },
		"returns-other-devices-again": func(c *config) bool {
			first, _ := c.prepare(t.Context(), "one")
			second, _ := c.prepare(t.Context(), "one")
			return len(first["uid-one"].Devices[0].CdiDeviceIds) == 2 && len(second["uid-one"].Devices[0].CdiDeviceIds) == 1
		},
		"names-another-pool": func(c *config) bool {
			got, _ := c.prepare(t.Context(), "one")
			return got["uid-one"].Devices[0].PoolName != "node"
		},
		"gives-each-request-all-devices": func(c *config) bool {
			got, _ := c.prepare(t.Context(), "one")
			return slices.Equal(got["uid-one"].Devices[1].RequestNames, []string{"a", "b"})
		},
		"shows-devices-of-other-claims": func(c *config) bool {
			first, _ := c.prepare(t.Context(), "one")
			second, _ := c.prepare(t.Context(), "two")
			return !slices.Contains(first["uid-one"].Devices[0].CdiDeviceIds, "x=twoa") && slices.Contains(second["uid-two"].Devices[0].CdiDeviceIds, "x=onea")
		},
		"mixes-up-parallel-calls": func(c *config) bool {
			alone, _ := c.prepare(t.Context(), "one")
			return alone["uid-one"].Devices[0].DeviceName == "one-a" && c.mixesUp()
		},
		"prepares-first-request-only": func(c *config) bool {
			got, _ := c.prepare(t.Context(), "one")
			return len(got["uid-one"].Devices) == 1 && got["uid-one"].Devices[0].DeviceName == "one-a"
		},
		"remembers-rejections": func(c *config) bool {
			_, first := c.prepare(t.Context(), "one", "unallocated")
			_, second := c.prepare(t.Context(), "unallocated")
			_, other := c.prepare(t.Context(), "one")
			return first != nil && strings.HasPrefix(second.Error(), "it has failed before: ") && other == nil
		},
		"rejects-calls-of-older-services": func(c *config) bool {
			_, older := c.call(t.Context(), "/v1beta1.DRAPlugin/NodePrepareResources", nil)
			_, newest := c.prepare(t.Context(), "one")
			return status.Code(older) == codes.Unimplemented && newest == nil
		},
	} {
		t.Run(fault, func(t *testing.T) { NewWithT(t).Expect(misbehaves(broken(t, fault))).To(BeTrue()) })
	}
}

// preparesOnly reports whether the plugin prepares a claim that it must reject,
// and still rejects other ones.
func (c *config) preparesOnly(name string) bool {
	got, err := c.prepare(context.Background(), "one", name)
	if err != nil || got["uid-one"] == nil || got["uid-"+name] == nil {
		return false
	}
	return !slices.ContainsFunc(slices.Collect(maps.Keys(rejected)), func(other string) bool {
		_, err := c.prepare(context.Background(), other)
		return other != name && err == nil
	})
}

// mixesUp reports whether one of two calls at the same time gets the devices of
// the other.
func (c *config) mixesUp() bool {
	var calls sync.WaitGroup
	got := make([]map[string]*drapb.NodePrepareResourceResponse, 2)
	for i, name := range []string{"one", "two"} {
		calls.Go(func() { got[i], _ = c.prepare(context.Background(), name) })
	}
	calls.Wait()
	return got[0]["uid-one"].Devices[0].DeviceName == got[1]["uid-two"].Devices[0].DeviceName
}

func TestDevicesOfOtherDriversAreReturned(t *testing.T) {
	g := NewWithT(t)
	c := broken(t, "returns-devices-of-all-drivers")
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "one"}}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Request: "a", Driver: "driver.example.com", Pool: "node", Device: "one-a"}, {Request: "other/first", Driver: "nic.example.com", Pool: "nics", Device: "nic-0"},
	}}}
	c.client = fake.NewClientset(claim)
	got, err := c.prepare(t.Context(), "one")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got["uid-one"].Devices).To(HaveLen(3))
	last := got["uid-one"].Devices[2]
	g.Expect([]string{last.PoolName, last.DeviceName, last.RequestNames[0]}).To(Equal([]string{"nics", "nic-0", "other"}))
}

// Each claim has one device, whose name is that of the namespace.
func TestDevicesOfEarlierClaimsAreReturned(t *testing.T) {
	handler := func(_ context.Context, request any) (any, error) {
		claim := request.(*drapb.NodePrepareResourcesRequest).Claims[0]
		return &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{
			claim.Uid: {Devices: []*drapb.Device{{DeviceName: claim.Namespace}}},
		}}, nil
	}
	for name, test := range map[string]struct {
		fault string
		then  drapb.Claim
		want  string
	}{
		"a namesake":      {"remembers-names", drapb.Claim{Namespace: "b", Name: "claim", Uid: "2"}, "a"},
		"another name":    {"remembers-names", drapb.Claim{Namespace: "b", Name: "other", Uid: "1"}, "b"},
		"the same claim":  {"remembers-allocations", drapb.Claim{Namespace: "b", Name: "claim", Uid: "1"}, "a"},
		"only a namesake": {"remembers-allocations", drapb.Claim{Namespace: "b", Name: "claim", Uid: "2"}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := broken(t, test.fault)
			var device string
			for _, claim := range []*drapb.Claim{{Namespace: "a", Name: "claim", Uid: "1"}, &test.then} {
				got, err := c.calls[0](t.Context(), &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{claim}}, nil, handler)
				g.Expect(err).NotTo(HaveOccurred())
				device = got.(*drapb.NodePrepareResourcesResponse).Claims[claim.Uid].Devices[0].DeviceName
			}
			g.Expect(device).To(Equal(test.want))
		})
	}
}

func TestAdminAccessIsRefused(t *testing.T) {
	g := NewWithT(t)
	c := broken(t, "refuses-admin-access")
	claim := func(name string, adminAccess bool) *resourceapi.ResourceClaim {
		claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{AdminAccess: &adminAccess}}}}
		return claim
	}
	c.client = fake.NewClientset(claim("one", false), claim("two", true))
	_, err := c.prepare(t.Context(), "one")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.prepare(t.Context(), "two")
	g.Expect(err).To(MatchError("claim two: admin access is not supported"))
}

func TestFaultsOfUnprepare(t *testing.T) {
	g := NewWithT(t)
	c := broken(t, "fails-to-unprepare-unknown-claims")
	_, err := c.prepare(t.Context(), "one")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.call(t.Context(), "", &drapb.NodeUnprepareResourcesRequest{Claims: claims("one")})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.call(t.Context(), "", &drapb.NodeUnprepareResourcesRequest{Claims: claims("never")})
	g.Expect(err).To(MatchError("claim never is not prepared"))

	var unprepared []*drapb.Claim
	c = broken(t, "unprepares-only-first-claim")
	got, err := c.calls[0](t.Context(), &drapb.NodeUnprepareResourcesRequest{Claims: claims("one", "two")}, nil, func(ctx context.Context, request any) (any, error) {
		unprepared = request.(*drapb.NodeUnprepareResourcesRequest).Claims
		return right(ctx, request)
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(unprepared).To(HaveLen(1))
	g.Expect(got.(*drapb.NodeUnprepareResourcesResponse).Claims).To(HaveLen(2))
}

func TestFaultsOfCDIFiles(t *testing.T) {
	const content = `{"devices":[{"name":"claim-1-a","containerEdits":{"env":["admin_test_driver=yes"]}}]}`
	g := NewWithT(t)
	g.Expect(string(renamesCDIDevice([]byte(content)))).To(ContainSubstring(`"name":"another-1-a"`))
	path := t.TempDir() + "/file"
	c := broken(t, "sets-wrong-value")
	g.Expect(c.metadata).To(BeFalse())
	g.Expect(c.files.Create(path, []byte(content))).To(Succeed())
	g.Expect(path).To(BeAnExistingFile())
	g.Expect(broken(t, "leaves-cdi-files").files.Remove(path)).To(Succeed())
	g.Expect(path).To(BeAnExistingFile())
}

func TestFaultsOfTheRegistration(t *testing.T) {
	g := NewWithT(t)
	info := func(fault string) *registerapi.PluginInfo {
		got, err := broken(t, fault).call(t.Context(), "", &registerapi.InfoRequest{})
		g.Expect(err).NotTo(HaveOccurred())
		return got.(*registerapi.PluginInfo)
	}
	g.Expect(info("registers-other-name").Name).To(Equal("other-driver.example.com"))
	g.Expect(info("offers-unknown-services").SupportedVersions).To(Equal([]string{"v1alpha3.DRAPlugin"}))

	c := broken(t, "registers-only-once")
	g.Expect(c.unregistered).To(BeFalse())
	g.Expect(c.add("registers-only-once")).To(Succeed())
	g.Expect(c.unregistered).To(BeTrue(), "the second process does not register")
}

// sent is a stream that keeps the last message.
type sent struct {
	grpc.ServerStream
	last any
}

func (s *sent) SendMsg(message any) error { s.last = message; return nil }

func TestFaultsOfHealth(t *testing.T) {
	g := NewWithT(t)
	stream := &sent{}
	handler := func(_ any, stream grpc.ServerStream) error {
		return stream.SendMsg(&healthpb.NodeWatchResourcesResponse{})
	}
	g.Expect(broken(t, "reports-health-of-other-device").streams[0](nil, stream, nil, handler)).To(Succeed())
	g.Expect(stream.last.(*healthpb.NodeWatchResourcesResponse).Devices[0].Device.DeviceName).To(Equal("device-99"))
	err := broken(t, "fails-to-report-health").streams[0](nil, stream, nil, handler)
	g.Expect(status.Code(err)).To(Equal(codes.Internal))
}

// published returns pool, generation, count and device names of all slices.
func (c *config) published(g Gomega) []string {
	list, err := c.client.ResourceV1().ResourceSlices().List(context.Background(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	var all []string
	for _, slice := range list.Items {
		of := slice.Spec.Pool
		all = append(all, fmt.Sprintf("%s %d %d: %d devices", of.Name, of.Generation, of.ResourceSliceCount, len(slice.Spec.Devices)))
	}
	slices.Sort(all)
	return all
}

func TestFaultsOfSlices(t *testing.T) {
	g := NewWithT(t)
	for fault, want := range map[string][]string{
		"publishes-too-few-slices":        {"node 1000 1: 8 devices", "node-spare 1 2: 1 devices"},
		"publishes-device-twice":          {"node 1000 1: 8 devices", "node-spare 1 2: 1 devices", "node-spare 1 2: 1 devices"},
		"leaves-slices-of-old-generation": {"node 1000 1: 8 devices", "node-spare 1 1: 1 devices", "node-spare 2 1: 1 devices"},
	} {
		c := broken(t, fault)
		g.Expect(c.publish(t.Context(), c)).To(Succeed())
		g.Expect(c.published(g)).To(Equal(want), fault)
	}
	c := broken(t, "renames-devices-in-use")
	g.Expect(c.publish(t.Context(), c)).To(Succeed())
	for range 2 {
		_, err := c.prepare(t.Context(), "one")
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(c.published(g)).To(Equal([]string{"node 1001 1: 8 devices"}))
	g.Expect(c.devices()[0].Name).To(Equal("renamed-device-00"))

	before, after := broken(t, "renames-devices-at-restart"), broken(t, "renames-devices-at-restart")
	g.Expect(before.devices()[0].Name).NotTo(Equal(after.devices()[0].Name))
}

func TestUnknownFaultIsRejected(t *testing.T) {
	err := (&config{}).add("unheard-of")
	NewWithT(t).Expect(err).To(MatchError(HavePrefix(`there is no fault "unheard-of", use one of answers-only-first-claim, `)))
	NewWithT(t).Expect((&config{}).add("")).To(Succeed())
}
