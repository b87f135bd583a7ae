known feeds
