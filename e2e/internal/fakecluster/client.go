package fakecluster

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	typedresourcev1 "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/client-go/rest"
	fakerest "k8s.io/client-go/rest/fake"
)

// client extends the fake clientset by logs and by untyped requests. The
// reactors of the fake clientset do not receive the name of the pod whose log
// is requested.
type client struct {
	*fake.Clientset
	cluster *Cluster
}

func (c client) CoreV1() typedcorev1.CoreV1Interface {
	return coreClient{c.Clientset.CoreV1(), c.cluster}
}

func (c client) ResourceV1() typedresourcev1.ResourceV1Interface {
	return resourceClient{c.Clientset.ResourceV1(), c.cluster}
}

type resourceClient struct {
	typedresourcev1.ResourceV1Interface
	cluster *Cluster
}

// RESTClient returns a client that handles create requests as dry runs. The
// response is the object as the API server would store it.
func (r resourceClient) RESTClient() rest.Interface {
	return &fakerest.RESTClient{
		NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
		GroupVersion:         resourceapi.SchemeGroupVersion,
		VersionedAPIPath:     "/apis/resource.k8s.io/v1",
		Client: fakerest.CreateHTTPClient(func(request *http.Request) (*http.Response, error) {
			var object map[string]any
			if err := json.NewDecoder(request.Body).Decode(&object); err != nil {
				return nil, err
			}
			if change := r.cluster.Mistakes.Misstores; change != nil {
				change(object)
			}
			stored, err := json.Marshal(object)
			return &http.Response{
				StatusCode: http.StatusCreated, Header: http.Header{"Content-Type": []string{"application/json"}},
				Body: io.NopCloser(bytes.NewReader(stored)),
			}, err
		}),
	}
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

func (p podClient) GetLogs(name string, options *corev1.PodLogOptions) *rest.Request {
	fake := &fakerest.RESTClient{
		NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
		GroupVersion:         corev1.SchemeGroupVersion,
		VersionedAPIPath:     "/api/v1",
		Client: fakerest.CreateHTTPClient(func(*http.Request) (*http.Response, error) {
			log, err := p.cluster.log(p.namespace, name, options.Container)
			if err != nil {
				return nil, err
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(log))}, nil
		}),
	}
	return fake.Request()
}
