// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"text/template"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/draconform/draconform/manifests"
)

// Texts in the network manifest that make kind process it as a template or
// patch it.
const (
	mayTemplate = "would you kindly template this file"
	mayPatch    = "would you kindly patch this file"
)

func manifest(t *testing.T, name string) string {
	t.Helper()
	content, err := manifests.FS.ReadFile("node/" + name)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(content)
}

// templated returns the result of kind's template processing of the network
// manifest.
func templated(t *testing.T, text string) string {
	t.Helper()
	g := NewWithT(t)
	parsed, err := template.New("cni-manifest").Option("missingkey=error").Parse(text)
	g.Expect(err).NotTo(HaveOccurred())
	var out bytes.Buffer
	g.Expect(parsed.Execute(&out, struct{ PodSubnet string }{"10.244.0.0/16"})).To(Succeed())
	return out.String()
}

// decode decodes objects as strictly as an API server.
func decode(t *testing.T, text string) []runtime.Object {
	t.Helper()
	g := NewWithT(t)
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for documents := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		g.Expect(err).NotTo(HaveOccurred())
		object, _, err := strict.Decode(document, nil, nil)
		g.Expect(err).NotTo(HaveOccurred())
		objects = append(objects, object)
	}
}

func TestNetworkManifestIsATemplateOfKind(t *testing.T) {
	g := NewWithT(t)
	text := manifest(t, "default-cni.yaml")
	for _, phrase := range []string{mayTemplate, mayPatch} {
		g.Expect(text).To(ContainSubstring(phrase), "kind looks for it on one line")
	}
	g.Expect(text).To(ContainSubstring("{{ .PodSubnet }}"))
}

func TestNetworkManifestIsValid(t *testing.T) {
	g := NewWithT(t)
	var daemonSets []*appsv1.DaemonSet
	objects := decode(t, templated(t, manifest(t, "default-cni.yaml")))
	g.Expect(objects).To(HaveLen(4))
	for _, object := range objects {
		if ds, ok := object.(*appsv1.DaemonSet); ok {
			daemonSets = append(daemonSets, ds)
		}
	}
	g.Expect(daemonSets).To(HaveLen(1), "kind patches all DaemonSets")
	pod := daemonSets[0].Spec.Template
	g.Expect(daemonSets[0].Spec.Selector.MatchLabels).To(Equal(pod.Labels))
	g.Expect(pod.Spec.HostNetwork).To(BeTrue())
	container := pod.Spec.Containers[0]
	g.Expect(container.Image).To(Equal(podroutesImage))
	g.Expect(container.ImagePullPolicy).To(Equal(corev1.PullNever), "no registry has it")
	// kind's patch appends to this list and requires that it exists.
	g.Expect(container.Env).To(ConsistOf(
		And(HaveField("Name", "NODE_NAME"), HaveField("ValueFrom.FieldRef.FieldPath", "spec.nodeName")),
		corev1.EnvVar{Name: "POD_SUBNET", Value: "10.244.0.0/16"},
	))
}

func TestStorageManifestIsTheDefaultClass(t *testing.T) {
	g := NewWithT(t)
	objects := decode(t, manifest(t, "default-storage.yaml"))
	g.Expect(objects).To(HaveLen(1))
	class, ok := objects[0].(*storagev1.StorageClass)
	g.Expect(ok).To(BeTrue())
	g.Expect(class.Annotations).To(HaveKeyWithValue("storageclass.kubernetes.io/is-default-class", "true"))
}
