// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/install"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

// endpoint is the control endpoint's implementation in a pod.
type endpoint struct{ control.Drivers }

func (endpoint) List() []control.Status { return []control.Status{{Driver: options.DriverName}} }

// proxied is a client whose requests to pods reach a test server.
type proxied struct {
	kubernetes.Interface
	api rest.Interface
}

func (p proxied) CoreV1() typedcorev1.CoreV1Interface {
	return proxiedCore{p.Interface.CoreV1(), p.api}
}

type proxiedCore struct {
	typedcorev1.CoreV1Interface
	api rest.Interface
}

func (p proxiedCore) RESTClient() rest.Interface { return p.api }

func TestControlUsesTheTokenOfThePod(t *testing.T) {
	g := NewWithT(t)
	cluster := installed(t)
	g.Expect(cluster.Tracker().Add(pod("n2", corev1.ConditionTrue))).To(Succeed())
	// The pod reads the token from the file that the kubelet creates for the
	// Secret.
	file := filepath.Join(t.TempDir(), "token")
	g.Expect(os.WriteFile(file, []byte(tokenIn(g, cluster)), 0o400)).To(Succeed())
	server := httptest.NewServer(control.Handler(file, endpoint{}))
	t.Cleanup(server.Close)
	client := proxied{cluster, fakeapi.NewPodProxy(t, options.Namespace, pod("n2", "").Name, control.Port, server.Listener.Addr().String())}

	steered, err := install.Control(t.Context(), client, options, "n2")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(steered.List(t.Context())).To(Equal([]control.Status{{Driver: options.DriverName}}))

	steered, err = install.Control(t.Context(), client, options, "n1")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = steered.List(t.Context())
	g.Expect(err).To(HaveOccurred(), "the other node has no endpoint")
}

func TestControlErrors(t *testing.T) {
	leaving := pod("n1", corev1.ConditionTrue)
	leaving.DeletionTimestamp, leaving.Finalizers = &metav1.Time{}, []string{"test"}
	pending := pod("n1", corev1.ConditionFalse)
	pending.Status = corev1.PodStatus{Phase: corev1.PodPending}
	for _, test := range []struct {
		name    string
		pod     *corev1.Pod
		change  func(*WithT, *fake.Clientset)
		message string
	}{
		{"no pod", pod("n2", corev1.ConditionTrue), nil, "control driver mig-2.example.com on node n1: there is no pod, only 1 on other nodes"},
		{"a controller", podOf(options, "controller", "n1", corev1.ConditionTrue), nil, "there is no pod, only 0 on other nodes"},
		{"a pod that crashes", crashing(pod("n1", corev1.ConditionFalse)), nil, "pod drivers/mig-2.example.com-node-on-n1 does not run: Running; probe says no; CrashLoopBackOff back-off"},
		{"a pod that does not start", pending, nil, "pod drivers/mig-2.example.com-node-on-n1 does not run: Pending"},
		{"a pod that ends", leaving, nil, "pod drivers/mig-2.example.com-node-on-n1 is being deleted"},
		{"no Secret", pod("n1", corev1.ConditionTrue), func(g *WithT, client *fake.Clientset) {
			g.Expect(client.CoreV1().Secrets(options.Namespace).Delete(t.Context(), options.DriverName, metav1.DeleteOptions{})).To(Succeed())
		}, `get the Secret with the token of the control endpoint: secrets "mig-2.example.com" not found`},
		{"the Secret of another run", pod("n1", corev1.ConditionTrue), func(g *WithT, client *fake.Clientset) {
			secret := get[*corev1.Secret](g, client, secretName)
			secret.Labels[install.RunLabel] = "run-2"
			_, err := client.CoreV1().Secrets(options.Namespace).Update(t.Context(), secret, metav1.UpdateOptions{})
			g.Expect(err).NotTo(HaveOccurred())
		}, `secret drivers/mig-2.example.com: it does not belong to the run: label draconform.dev/run is "run-2"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			client := installed(t)
			g.Expect(client.CoreV1().Pods(options.Namespace).Delete(t.Context(), pod("n1", "").Name, metav1.DeleteOptions{})).To(Succeed())
			g.Expect(client.Tracker().Add(test.pod)).To(Succeed())
			if test.change != nil {
				test.change(g, client)
			}
			_, err := install.Control(t.Context(), client, options, "n1")
			g.Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}

// A change through the control endpoint may make a pod unready. Only the
// control endpoint can undo it.
func TestControlReachesUnreadyPods(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(1, pod("n1", corev1.ConditionFalse))
	synctest.Test(t, func(t *testing.T) {
		g.Expect(install.Install(aMinute(t), client, options)).NotTo(Succeed())
	})
	_, err := install.Control(t.Context(), client, options, "n1")
	g.Expect(err).NotTo(HaveOccurred())
}
