// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	authorizationapi "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// outcomesByID returns the outcomes and reasons by the ids of specs.
func outcomesByID(results []suite.Result) map[string][2]string {
	all := map[string][2]string{}
	for _, r := range results {
		all[r.Spec.ID] = [2]string{string(r.Outcome), r.Reason}
	}
	return all
}

func TestDryRunOfAKindCluster(t *testing.T) {
	partition := suite.Selection{IDs: []string{"partition-excludes-whole"}}
	for name, test := range map[string]struct {
		config Config
		want   [2]string
	}{
		"default":            {Config{}, [2]string{}},
		"gate disabled":      {Config{Release: "1.35"}, [2]string{"not-supported", "feature partitionable-devices is absent: the feature gate DRAPartitionableDevices will be disabled"}},
		"gate enabled":       {Config{Release: "1.35", Gates: "alpha"}, [2]string{}},
		"overridden":         {Config{Release: "1.35", FeatureOverrides: []string{"partitionable-devices=present"}}, [2]string{}},
		"core gate disabled": {Config{Release: "1.34", Gates: "off"}, [2]string{"not-supported", "feature core is absent: the feature gate DynamicResourceAllocation will be disabled; feature partitionable-devices is absent: the feature gate DRAPartitionableDevices will be disabled"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			test.config.Selection = partition
			results, err := DryRun(t.Context(), test.config, specs.All())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(outcomesByID(results)).To(Equal(map[string][2]string{"partition-excludes-whole": test.want}))
		})
	}
	_, err := DryRun(t.Context(), Config{Release: "1.12"}, specs.All())
	NewWithT(t).Expect(err).To(MatchError(ErrConfig))
}

// A control plane runs the specs of schedulers that need no running containers.
func TestDryRunOfAControlPlane(t *testing.T) {
	const containers = "needs nodes that run containers; the provider control-plane has simulated nodes only"
	for name, test := range map[string]struct {
		config Config
		spec   string
		want   [2]string
	}{
		"simulated nodes":               {Config{}, "partition-excludes-what-overlaps", [2]string{}},
		"a driver":                      {Config{}, "partition-excludes-whole", [2]string{"not-applicable", containers}},
		"a kubelet":                     {Config{}, "exclusive-survives-kubelet-restart", [2]string{"not-applicable", containers}},
		"a feature that is absent, too": {Config{Release: "1.35"}, "partition-excludes-whole", [2]string{"not-supported", "feature partitionable-devices is absent: the feature gate DRAPartitionableDevices will be disabled"}},
		"a restart of the scheduler":    {Config{Scheduler: "draconform"}, "affinity-locks-survive-scheduler-restart", [2]string{}},
		"a restart of another's scheduler": {
			Config{Scheduler: ExternalScheduler, FeatureOverrides: []string{"sharing-affinity=present"}}, "affinity-locks-survive-scheduler-restart",
			[2]string{"not-applicable", "needs to restart the scheduler of the pods, which is only possible in a cluster that the run created"},
		},
		"a feature of the bundled scheduler": {
			Config{Scheduler: ExternalScheduler}, "affinity-lock-decides",
			[2]string{"not-supported", "feature sharing-affinity is absent: only the bundled scheduler supports it"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			test.config.Provider, test.config.Selection = ControlPlane, suite.Selection{IDs: []string{test.spec}}
			results, err := DryRun(t.Context(), test.config, specs.All())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(outcomesByID(results)).To(Equal(map[string][2]string{test.spec: test.want}))
		})
	}
}

// Specs about drivers do not depend on features of devices, except those about
// such devices and about the health of devices.
func TestDryRunOfDriverSpecsWithoutFeatures(t *testing.T) {
	for _, release := range []string{"1.34", "1.35"} {
		t.Run(release, func(t *testing.T) {
			g := NewWithT(t)
			of := func(selection suite.Selection) map[string]suite.Result {
				results, err := DryRun(t.Context(), Config{Release: release, Selection: selection}, specs.All())
				g.Expect(err).NotTo(HaveOccurred())
				byID := map[string]suite.Result{}
				for _, r := range results {
					byID[r.Spec.ID] = r
				}
				return byID
			}
			for id, r := range of(suite.Selection{Profiles: []string{"driver"}}) {
				want := suite.Outcome("")
				switch {
				case strings.Contains(id, "health"), slices.ContainsFunc([]subject.Kind{subject.KindMultiHost, subject.KindShared, subject.KindPartition}, func(k subject.Kind) bool { return slices.Contains(r.Spec.Kinds, k) }):
					want = suite.NotSupported
				case r.Spec.Since != "":
					want = suite.NotApplicable
				}
				g.Expect(r.Outcome).To(Equal(want), "%s: %s", id, r.Reason)
			}
			g.Expect(of(suite.Selection{Labels: "smoke"})["init-containers-see-devices"]).To(And(HaveField("Spec.Smoke", true), HaveField("Outcome", BeEmpty())))
		})
	}
}

// apiServer serves an API server with DRA that keeps partitions and drops the
// fields of shared devices. It records writes that are not dry runs.
func apiServer(t *testing.T) (kubeconfig string, written *[]string) {
	t.Helper()
	written = &[]string{}
	mux := http.NewServeMux()
	answer := func(path string, object any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(object)
		})
	}
	answer("GET /version", version.Info{GitVersion: "v1.36.2"})
	answer("GET /api", metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	answer("GET /apis", metav1.APIGroupList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups:   []metav1.APIGroup{{Name: "resource.k8s.io", Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: "resource.k8s.io/v1", Version: "v1"}}}},
	})
	answer("GET /api/v1/nodes", corev1.NodeList{
		TypeMeta: metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}, Items: []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}},
	})
	answer("GET /api/v1/namespaces/kube-system/pods", corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}})
	answer("GET /apis/resource.k8s.io/v1/resourceslices", resourceapi.ResourceSliceList{
		TypeMeta: metav1.TypeMeta{Kind: "ResourceSliceList", APIVersion: "resource.k8s.io/v1"},
		Items: []resourceapi.ResourceSlice{{
			ObjectMeta: metav1.ObjectMeta{Name: "half"},
			Spec:       resourceapi.ResourceSliceSpec{Driver: "fabric.example.com", Pool: resourceapi.ResourcePool{Name: "fabric", ResourceSliceCount: 2}, AllNodes: ptr.To(true)},
		}},
	})
	answer("GET /apis/resource.k8s.io/v1/deviceclasses", resourceapi.DeviceClassList{TypeMeta: metav1.TypeMeta{Kind: "DeviceClassList", APIVersion: "resource.k8s.io/v1"}})
	answer("GET /apis/resource.k8s.io/v1/resourceclaims", resourceapi.ResourceClaimList{TypeMeta: metav1.TypeMeta{Kind: "ResourceClaimList", APIVersion: "resource.k8s.io/v1"}})
	answer("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", authorizationapi.SelfSubjectAccessReview{
		TypeMeta: metav1.TypeMeta{Kind: "SelfSubjectAccessReview", APIVersion: "authorization.k8s.io/v1"}, Status: authorizationapi.SubjectAccessReviewStatus{Allowed: true},
	})
	mux.HandleFunc("GET /api/v1/namespaces/missing", http.NotFound)
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("dryRun") != "All" {
			*written = append(*written, r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/apis/resource.k8s.io/v1/resourceslices" {
			_, _ = w.Write([]byte(`{"kind": "ResourceClaim", "apiVersion": "resource.k8s.io/v1"}`))
			return
		}
		var slice resourceapi.ResourceSlice
		content, _ := io.ReadAll(r.Body)
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(content, nil, &slice); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for i := range slice.Spec.Devices {
			slice.Spec.Devices[i].AllowMultipleAllocations = nil
		}
		_ = json.NewEncoder(w).Encode(slice)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: server.URL}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test"}
	config.CurrentContext = "test"
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	NewWithT(t).Expect(clientcmd.WriteToFile(*config, kubeconfig)).To(Succeed())
	return kubeconfig, written
}

// An existing cluster is inspected and not changed.
func TestDryRunOfAnExistingCluster(t *testing.T) {
	g := NewWithT(t)
	kubeconfig, written := apiServer(t)
	results, err := DryRun(t.Context(), Config{Provider: Existing, Kubeconfig: kubeconfig, Dir: filepath.Join(t.TempDir(), "missing"), SimulateNodes: true}, specs.All())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(results).To(HaveLen(len(specs.All())))
	got := outcomesByID(results)
	g.Expect(got["partition-excludes-whole"]).To(Equal([2]string{}), "the API server stores the fields of its only feature")
	g.Expect(got["multi-host-survives-driver-restart"]).To(Equal([2]string{"not-applicable", "needs 2 worker nodes, the cluster has 1"}))
	g.Expect(got["exclusive-survives-node-restart"]).To(Equal([2]string{"not-applicable", "needs to restart nodes, which is only possible in a cluster that the run created"}))
	g.Expect(got["shared-survives-driver-restart"]).To(Equal([2]string{
		"not-supported", "feature consumable-capacity is absent: the API server drops spec.devices[].allowMultipleAllocations of a ResourceSlice (dry run)",
	}))
	g.Expect(got["prioritized-list-takes-first"][0]).To(Equal("not-supported"))
	g.Expect(got["pool-invalid-is-passed-over"]).To(Equal([2]string{}), "pools of other drivers do not affect it")
	g.Expect(got["partition-all-or-none"]).To(Equal([2]string{
		"not-applicable", "needs complete and valid pools on all nodes; pool fabric of driver fabric.example.com is not: " +
			"ResourceSlice half, spec.pool.resourceSliceCount is 2, but pool fabric has 1 slices of generation 0 here",
	}))
	g.Expect(*written).To(BeEmpty(), "all writes are dry runs")
}

func TestDryRunOfAClusterThatDoesNotAnswer(t *testing.T) {
	g := NewWithT(t)
	kubeconfig, _ := apiServer(t)
	content, err := os.ReadFile(kubeconfig)
	g.Expect(err).NotTo(HaveOccurred())
	config, err := clientcmd.Load(content)
	g.Expect(err).NotTo(HaveOccurred())
	config.Clusters["test"].Server = "http://127.0.0.1:1"
	g.Expect(clientcmd.WriteToFile(*config, kubeconfig)).To(Succeed())
	_, err = DryRun(t.Context(), Config{Provider: Existing, Kubeconfig: kubeconfig}, specs.All())
	g.Expect(err).To(MatchError(ContainSubstring(`cluster of context "test" at http://127.0.0.1:1 does not answer`)))
}
