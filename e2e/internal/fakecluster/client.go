package fakecluster

import (
	"bytes"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	fakerest "k8s.io/client-go/rest/fake"
)

// client is the fake clientset with logs: its own reactors are not told whose
// log is wanted.
type client struct {
	kubernetes.Interface
	cluster *Cluster
}

func (c client) CoreV1() typedcorev1.CoreV1Interface {
	return coreClient{c.Interface.CoreV1(), c.cluster}
}

type coreClient struct {
	typedcorev1.CoreV1Interface
	cluster *Cluster
}

func (c coreClient) Pods(namespace string) typedcorev1.PodInterface {
	return podClient{c.CoreV1Interface.Pods(namespace), c.cluster, namespace}
}

type podClient struct {
	typedcorev1.PodInterface
	cluster   *Cluster
	namespace string
}

func (p podClient) GetLogs(name string, _ *corev1.PodLogOptions) *rest.Request {
	fake := &fakerest.RESTClient{
		NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
		GroupVersion:         corev1.SchemeGroupVersion,
		VersionedAPIPath:     "/api/v1",
		Client: fakerest.CreateHTTPClient(func(*http.Request) (*http.Response, error) {
			log, err := p.cluster.log(p.namespace, name)
			if err != nil {
				return nil, err
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(log))}, nil
		}),
	}
	return fake.Request()
}
