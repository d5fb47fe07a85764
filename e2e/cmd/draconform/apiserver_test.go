// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationapi "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// served are the kinds that an API server without DRA serves, and those of DRA,
// by resource.
var (
	served = map[schema.GroupVersion]map[string]string{
		corev1.SchemeGroupVersion: {
			"nodes": "Node", "pods": "Pod", "events": "Event", "namespaces": "Namespace", "resourcequotas": "ResourceQuota", "limitranges": "LimitRange",
			"configmaps": "ConfigMap", "serviceaccounts": "ServiceAccount",
		},
		appsv1.SchemeGroupVersion:         {"daemonsets": "DaemonSet"},
		batchv1.SchemeGroupVersion:        {"jobs": "Job"},
		coordinationv1.SchemeGroupVersion: {"leases": "Lease"},
		schedulingv1.SchemeGroupVersion:   {"priorityclasses": "PriorityClass"},
		rbacv1.SchemeGroupVersion:         {"roles": "Role", "rolebindings": "RoleBinding", "clusterroles": "ClusterRole", "clusterrolebindings": "ClusterRoleBinding"},
		admissionv1.SchemeGroupVersion: {
			"validatingadmissionpolicies": "ValidatingAdmissionPolicy", "validatingadmissionpolicybindings": "ValidatingAdmissionPolicyBinding",
		},
	}
	servedDRA = map[string]string{"resourceslices": "ResourceSlice", "resourceclaims": "ResourceClaim", "deviceclasses": "DeviceClass", "resourceclaimtemplates": "ResourceClaimTemplate"}
)

// apiServer is an API server that only reads, accepts every dry run, and permits everything.
type apiServer struct {
	objects clienttesting.ObjectTracker
	groups  map[schema.GroupVersion]map[string]string
}

// serveCluster serves the cluster in testdata/live with further objects, and
// returns the address. Without dra, the API of DRA does not exist.
func serveCluster(t *testing.T, dra bool, more ...runtime.Object) string {
	t.Helper()
	return serveObjects(t, liveFile, dra, more...)
}

// serveObjects serves the objects in a file, and further ones.
func serveObjects(t *testing.T, file string, dra bool, more ...runtime.Object) string {
	t.Helper()
	s := apiServer{objects: clusterOf(t, file, more...).Tracker(), groups: maps.Clone(served)}
	if dra {
		s.groups[resourceapi.SchemeGroupVersion] = servedDRA
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// writeKubeconfig writes a kubeconfig for a server.
func writeKubeconfig(path, server string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: server}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test"}
	config.CurrentContext = "test"
	return clientcmd.WriteToFile(*config, path)
}

func (s apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	object := s.answer(r)
	if object == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object)
}

// answer returns the answer to a request, or nil.
func (s apiServer) answer(r *http.Request) any {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.Method == http.MethodPost && path[len(path)-1] == "selfsubjectaccessreviews":
		return authorizationapi.SelfSubjectAccessReview{
			TypeMeta: metav1.TypeMeta{Kind: "SelfSubjectAccessReview", APIVersion: authorizationapi.SchemeGroupVersion.String()},
			Status:   authorizationapi.SubjectAccessReviewStatus{Allowed: true},
		}
	case r.Method == http.MethodPost && r.URL.Query().Get("dryRun") == metav1.DryRunAll:
		return s.dryRun(r, path)
	case r.Method != http.MethodGet:
		return nil
	case r.URL.Path == "/version":
		return version.Info{GitVersion: "v1.37.2"}
	case r.URL.Path == "/api":
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
	case r.URL.Path == "/apis":
		return s.groupList()
	case path[0] == "api" && len(path) > 1:
		return s.read(schema.GroupVersion{Version: path[1]}, path[2:], r.URL.Query().Get("labelSelector"))
	case path[0] == "apis" && len(path) > 2:
		return s.read(schema.GroupVersion{Group: path[1], Version: path[2]}, path[3:], r.URL.Query().Get("labelSelector"))
	}
	return nil
}

// dryRun answers a dry run of a creation: everything of a kind that is served is accepted.
func (s apiServer) dryRun(r *http.Request, path []string) any {
	gv := schema.GroupVersion{Version: path[1]}
	if path[0] == "apis" {
		gv = schema.GroupVersion{Group: path[1], Version: path[2]}
	}
	if s.groups[gv][path[len(path)-1]] == "" {
		return nil
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return nil
	}
	object, _, err := clientscheme.Codecs.UniversalDeserializer().Decode(content, nil, nil)
	if err != nil {
		return nil
	}
	encoded, err := runtime.Encode(clientscheme.Codecs.LegacyCodec(gv), object)
	if err != nil {
		return nil
	}
	return json.RawMessage(encoded)
}

func (s apiServer) groupList() metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for gv := range s.groups {
		if gv.Group != "" {
			list.Groups = append(list.Groups, metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: gv.String(), Version: gv.Version}}})
		}
	}
	return list
}

// read returns the resources of a version, a list of what a selector of labels selects,
// or an object.
func (s apiServer) read(gv schema.GroupVersion, path []string, selector string) any {
	resources := s.groups[gv]
	if resources == nil {
		return nil
	}
	if len(path) == 0 {
		list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String()}
		for name, kind := range resources {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: name, Kind: kind})
		}
		return list
	}
	namespace := ""
	if path[0] == "namespaces" && len(path) > 2 {
		namespace, path = path[1], path[2:]
	}
	resource, kind := path[0], resources[path[0]]
	if kind == "" {
		return nil
	}
	var object runtime.Object
	var err error
	if len(path) > 1 {
		object, err = s.objects.Get(gv.WithResource(resource), namespace, path[1])
	} else {
		object, err = s.objects.List(gv.WithResource(resource), gv.WithKind(kind), namespace)
		err = errors.Join(err, keepSelected(object, selector))
	}
	if err != nil {
		return nil
	}
	encoded, err := runtime.Encode(clientscheme.Codecs.LegacyCodec(gv), object)
	if err != nil {
		return nil
	}
	return json.RawMessage(encoded)
}

// keepSelected removes the items of a list that a selector of labels does not select.
func keepSelected(list runtime.Object, selector string) error {
	selected, err := labels.Parse(selector)
	if err != nil {
		return err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return err
	}
	return meta.SetList(list, slices.DeleteFunc(items, func(item runtime.Object) bool {
		object, err := meta.Accessor(item)
		return err != nil || !selected.Matches(labels.Set(object.GetLabels()))
	}))
}

// The server has what the commands read, and nothing of DRA without it.
func TestAPIServer(t *testing.T) {
	g := NewWithT(t)
	for dra, status := range map[bool]int{true: http.StatusOK, false: http.StatusNotFound} {
		address := serveCluster(t, dra)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/apis/resource.k8s.io/v1/resourceslices", nil)
		g.Expect(err).NotTo(HaveOccurred())
		response, err := http.DefaultClient.Do(request)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(response.Body.Close()).To(Succeed())
		g.Expect(response.StatusCode).To(Equal(status))
	}
}
