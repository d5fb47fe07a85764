package staticpod

// Folder is where the kubelet of a control plane node finds its static pods.
const Folder = "/etc/kubernetes/manifests/"

// Path is where the manifest of a component stands, such as kube-scheduler.
func Path(name string) string { return Folder + name + ".yaml" }

// ParkedPath is where the manifest of a component stands while the component is not to run.
func ParkedPath(name string) string { return "/etc/kubernetes/draconform-stopped-" + name + ".yaml" }

// Swap is a script for "sh -ec" on a control plane node that replaces the manifest of the component $1 by its standard
// input, and prints the UIDs of the pods that it ended, or "none"; nothing if the manifest is the same. On further lines
// are the UIDs of all pods of the component that have left logs, each with a number of those: a manifest that comes back
// has the UID that it had, and the kubelet goes on to count the containers of that pod.
//
// It first takes the old manifest away and waits until the kubelet has forgotten its pod. A kubelet that finds the new
// one while the old pod still ends looks again only after ten seconds or more, several times if need be. An API server
// that is told to end stops listening at once, and then waits for watches, which their clients only start again
// elsewhere, until the kubelet kills it after 30 seconds. Here it gets two, for the requests that it is at.
const Swap = numbered + `
path=/etc/kubernetes/manifests/$1.yaml parked=/etc/kubernetes/draconform-stopped-$1.yaml draft=/etc/kubernetes/draconform-$1.yaml
cat >"$draft"
if [ -e "$path" ] && cmp -s "$draft" "$path"; then rm "$draft"; exit; fi
pods() { for dir in /var/log/pods/kube-system_$1-*; do uid=${dir##*_}; [ ! -e /var/lib/kubelet/pods/$uid ] || echo $uid; done; }
ended=$(pods $1)
[ ! -e "$path" ] || mv "$path" "$parked"
tries=0 deaf=0
while [ -n "$(pods $1)" ] && [ $tries -lt 450 ]; do
  tries=$((tries + 1))
  sleep 0.1
  [ "$1" = kube-apiserver ] || continue
  refused=0
  curl --silent --insecure --max-time 1 --output /dev/null https://127.0.0.1:6443/livez || refused=$?
  [ $refused = 7 ] || continue
  deaf=$((deaf + 1))
  if [ $deaf = 15 ]; then pkill --signal KILL --exact kube-apiserver || true; fi
done
echo ${ended:-none}
for log in /var/log/pods/kube-system_$1-*/$1/*.log; do
  [ ! -e "$log" ] || numbered
done
mv "$draft" "$path"
rm -f "$parked"
`

// numbered is a function that prints the UID of the pod that $log is of, and its number.
const numbered = `
numbered() { uid=${log%/*/*}; echo "${uid##*_} $(basename "$log" .log)"; }
`

// LogNumber is the end of scripts that begin with [NewestLog]: it prints the UID of the pod that the log is of, and its
// number, from 0, which is how many containers of the pod have ended.
const LogNumber = numbered + "numbered"

// NewestLog is the start of scripts for "sh -ec" on a control plane node: it sets log to the log that was written last by
// a container of the component $1, of another pod than those whose UIDs are $2, and ends the script if there is none.
const NewestLog = `
log=
for log in $(ls -t /var/log/pods/kube-system_$1-*/$1/*.log 2>/dev/null); do
  uid=${log%/*/*}; uid=${uid##*_}
  case " $2 " in *" $uid "*) log=;; *) break;; esac
done
[ -n "$log" ] || exit 0
`
