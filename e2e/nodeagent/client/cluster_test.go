// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/nodeagent/agent"
	"github.com/draconform/draconform/e2e/nodeagent/client"
)

const (
	driver    = "gpu.example.com"
	namespace = "draconform-agent"
	userToken = "token-of-the-user"
)

var options = client.Options{RunID: "run-1", Namespace: namespace, Drivers: []string{driver}}

// cluster is a fake cluster. The API server forwards requests to the proxies of
// pods that exist to an agent with the token of the Secret, as if it ran in all
// pods.
type cluster struct {
	kubernetes.Interface
	*WithT
	t      *testing.T
	fake   *fake.Clientset
	dir    string
	client rest.Interface

	mu sync.Mutex
	// broken are the pods that do not answer.
	broken map[string]bool
	// paths are the paths of the requests.
	paths []string
}

// CoreV1 implements [kubernetes.Interface].
func (c *cluster) CoreV1() corev1client.CoreV1Interface { return core{c.fake.CoreV1(), c.client} }

type core struct {
	corev1client.CoreV1Interface
	client rest.Interface
}

func (c core) RESTClient() rest.Interface { return c.client }

func newCluster(t *testing.T, objects ...runtime.Object) *cluster {
	t.Helper()
	c := &cluster{WithT: NewWithT(t), t: t, fake: fake.NewClientset(objects...), dir: t.TempDir(), broken: map[string]bool{}}
	c.Interface = c.fake
	c.Expect(os.Mkdir(filepath.Join(c.dir, "plugins_registry"), 0o755)).To(Succeed())
	// A service account is created for each namespace.
	c.fake.PrependReactor("create", "namespaces", func(action clienttesting.Action) (bool, runtime.Object, error) {
		created := action.(clienttesting.CreateAction).GetObject().(*corev1.Namespace)
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: created.Name, Name: "default"}}
		return false, nil, c.fake.Tracker().Add(account)
	})
	server := httptest.NewServer(http.HandlerFunc(c.serveProxy))
	t.Cleanup(server.Close)
	direct, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, BearerToken: userToken, QPS: -1})
	c.Expect(err).NotTo(HaveOccurred())
	c.client = direct.CoreV1().RESTClient()
	return c
}

func (c *cluster) serveProxy(w http.ResponseWriter, r *http.Request) {
	prefix := "/api/v1/namespaces/" + namespace + "/pods/"
	pod, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, prefix), "/proxy/")
	pod, port, _ := strings.Cut(pod, ":")
	c.mu.Lock()
	c.paths = append(c.paths, "/"+rest)
	broken := c.broken[pod]
	c.mu.Unlock()
	existing, err := c.fake.CoreV1().Pods(namespace).Get(r.Context(), pod, metav1.GetOptions{})
	switch {
	case r.Header.Get("Authorization") != "Bearer "+userToken:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case err != nil || port != fmt.Sprint(existing.Spec.Containers[0].Ports[0].ContainerPort):
		w.WriteHeader(http.StatusNotFound)
		return
	case broken:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	secret, err := c.fake.CoreV1().Secrets(namespace).Get(r.Context(), "node-agent", metav1.GetOptions{})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	handler, err := agent.Handler(agent.Config{Drivers: []string{driver}, KubeletDir: c.dir, CDIDirs: []string{c.dir}, Token: string(secret.Data["token"])})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	r.Header.Del("Authorization")
	http.StripPrefix(prefix+pod+":"+port+"/proxy", handler).ServeHTTP(w, r)
}

// pods returns the pods of the agents by node.
func (c *cluster) pods() map[string]corev1.Pod {
	c.t.Helper()
	list, err := c.fake.CoreV1().Pods(namespace).List(c.t.Context(), metav1.ListOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	all := map[string]corev1.Pod{}
	for _, pod := range list.Items {
		all[pod.Spec.NodeName] = pod
	}
	return all
}
